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

/** Returns true if the link is active. */
function isOpen(share: Share, nowMs: number): boolean {
  return share.revokedAt === null && (share.expiresAt === null || share.expiresAt > nowMs);
}

interface SharedThing {
  kind: CreateShare['kind'];
  /** The server's title for a link to the object. */
  title: string;
}

/**
 * Returns the active links to one object, newest first. A listed link has only kind and title, so links
 * created here are matched by token.
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

/** Returns true if an address can be opened only on the server's machine. */
export function opensOnlyHere(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname);
}

/** Returns "opened 3 of 5 times". */
export function openingWords({ openings, maxOpenings }: Share): string {
  if (maxOpenings === null) return openings === 1 ? 'opened once' : `opened ${openings} times`;
  return `opened ${openings} of ${maxOpenings} times`;
}

/** Copies text to the clipboard; resolves to false if the browser denies it (plain HTTP, no permission). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** URL fragment (after #) that transfers a plan to another mqttlab instance; it is not sent to a server. */
const planMark = '#plan=';

/** Returns the import URL of the mqttlab instance at an address, or the problem with an invalid address. */
export function handOver(address: string, plan: string): { href: string } | { what: string } {
  const text = address.trim();
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`);
  if (text === '' || url === null) return { what: `“${text}” is not an address.` };
  if (!/^https?:$/.test(url.protocol))
    return { what: 'The address of mqttlab must start with http:// or https://.' };
  if (url.username !== '' || url.password !== '')
    return { what: 'The address must not contain a user name or password.' };
  return { href: `${url.origin}/experiments${planMark}${encodeURIComponent(plan)}` };
}

/** Returns the plan in an address; null if there is none or it is incomplete. */
export function handedPlan(hash: string): string | null {
  if (!hash.startsWith(planMark)) return null;
  try {
    return decodeURIComponent(hash.slice(planMark.length));
  } catch {
    return null;
  }
}
