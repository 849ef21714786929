import type { CreateShare, Share } from '@mqttlab/shared/messages/shares';

const day = 86_400_000;

export const expiryMs = { never: null, day, week: 7 * day, month: 30 * day } as const;

export type ExpiryChoice = keyof typeof expiryMs;

export const expiryWords: Readonly<Record<ExpiryChoice, string>> = {
  never: 'never',
  day: 'in a day',
  week: 'in a week',
  month: 'in 30 days',
};

/** Whether the link still opens. */
function isOpen(share: Share, nowMs: number): boolean {
  return share.revokedAt === null && (share.expiresAt === null || share.expiresAt > nowMs);
}

interface SharedThing {
  kind: CreateShare['kind'];
  /** The server's title of a link to it. */
  title: string;
}

/**
 * Links to one thing that still open, newest first. A link tells its kind and title only, so those that were made here
 * are added by their token.
 */
export function sharesOf(shares: readonly Share[], thing: SharedThing, made: readonly Share[]): Share[] {
  const own = new Set(made.map((share) => share.token));
  return shares
    .filter(
      (share) =>
        own.has(share.token) ||
        (share.kind === thing.kind && (share.kind === 'view' || share.title === thing.title)),
    )
    .filter((share) => isOpen(share, Date.now()))
    .sort((a, b) => b.createdAt - a.createdAt);
}

/** True if an address opens only on the machine of the server. */
export function opensOnlyHere(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname);
}

/** "opened 3 of 5 times". */
export function openingWords({ openings, maxOpenings }: Share): string {
  if (maxOpenings === null) return openings === 1 ? 'opened once' : `opened ${openings} times`;
  return `opened ${openings} of ${maxOpenings} times`;
}

/** Puts text on the clipboard; false where the browser does not let the page (plain HTTP, no permission). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The part of an address, after its #, by which a plan is handed to another mqttlab; no server sees it. */
const planMark = '#plan=';

/** Where the mqttlab at an address takes the plan over; what is wrong where this is no address of one. */
export function handOver(address: string, plan: string): { href: string } | { what: string } {
  const text = address.trim();
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`);
  if (text === '' || url === null) return { what: `“${text}” is not an address.` };
  if (!/^https?:$/.test(url.protocol))
    return { what: 'An address of mqttlab begins with http:// or https://.' };
  if (url.username !== '' || url.password !== '')
    return { what: 'An address has no user name and no password.' };
  return { href: `${url.origin}/experiments${planMark}${encodeURIComponent(plan)}` };
}

/** The plan that came with an address; null where none did, or half of one. */
export function handedPlan(hash: string): string | null {
  if (!hash.startsWith(planMark)) return null;
  try {
    return decodeURIComponent(hash.slice(planMark.length));
  } catch {
    return null;
  }
}
