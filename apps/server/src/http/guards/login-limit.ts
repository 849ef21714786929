import { ProblemError } from '../../base/errors.ts';

/** Tokens that are mistyped a few times cost nobody anything. */
const freeTries = 5;
const firstWaitMs = 1_000;
const maxWaitMs = 60_000;
/** Failures are forgotten after this long without another one. */
const memoryMs = 15 * 60_000;
const maxAddresses = 10_000;

export interface LoginLimit {
  /**
   * Throws a 429 problem while this address, or this account, has to wait after failures. A secret that was right there
   * before is let through: what runs with it must not suffer from its neighbour.
   */
  check(address: string, secret: string): void;
  /** How many failures in a row that makes. */
  failed(address: string): number;
  succeeded(address: string, secret: string): void;
}

interface Failures {
  count: number;
  lastAt: number;
  waitUntil: number;
}

/** Guesses at tokens get slower: five are free, then one a second, two, four ... at last one a minute. */
export function makeLoginLimit(now: () => number): LoginLimit {
  const failures = new Map<string, Failures>();
  const known = new Map<string, true>();
  const find = (address: string): Failures | undefined => {
    const found = failures.get(address);
    if (found === undefined || now() - found.lastAt <= memoryMs) return found;
    failures.delete(address);
    return undefined;
  };
  return {
    check(address, secret) {
      const waitMs = (find(address)?.waitUntil ?? 0) - now();
      if (waitMs <= 0 || known.has(`${address} ${secret}`)) return;
      const seconds = Math.ceil(waitMs / 1000);
      throw new ProblemError({
        status: 429,
        detail: 'Too many wrong tokens or passwords came from this address, or for this account.',
        remedy: `Wait ${seconds} s, then try the right one.`,
        headers: { 'Retry-After': String(seconds) },
      });
    },
    failed(address) {
      const count = (find(address)?.count ?? 0) + 1;
      const waitMs = count < freeTries ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** (count - freeTries));
      bound(failures);
      failures.set(address, { count, lastAt: now(), waitUntil: now() + waitMs });
      return count;
    },
    succeeded(address, secret) {
      // Failures stay: whoever has a token of a viewer could else guess on between two right ones.
      bound(known);
      known.set(`${address} ${secret}`, true);
    },
  };
}

/** Makes room by forgetting the oldest. */
function bound(map: Map<string, unknown>): void {
  if (map.size < maxAddresses) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
