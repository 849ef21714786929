import { ProblemError } from '../../base/errors.ts';

/** The first failures are not delayed. */
const freeTries = 5;
const firstWaitMs = 1_000;
const maxWaitMs = 60_000;
/** Failures are forgotten after this long without another one. */
const memoryMs = 15 * 60_000;
/** Maximum remembered keys; the least recent ones are forgotten first. */
const maxKeys = 10_000;

interface LoginLimit {
  /** Throws a 429 problem while this key has to wait after failures. */
  check(key: string): void;
  /** Counts a failure. */
  fail(key: string): void;
  /** Returns the number of failures that are remembered for this key. */
  failuresOf(key: string): number;
  /**
   * Returns the result of `verify`; null counts a failure for every key. An attempt is reserved before `verify` is
   * called, so simultaneous guesses cannot exceed the limit: at most as many run in parallel as may fail, the others
   * wait for their result. Rejects with a 429 problem while one of the keys has to wait.
   */
  attempt<Found>(
    keys: readonly string[],
    verify: () => Found | null | Promise<Found | null>,
  ): Promise<Found | null>;
}

interface Failures {
  count: number;
  lastAt: number;
  waitUntil: number;
}

/** Slows guesses at secrets: five failures are free, then one attempt per 1 s, 2 s, 4 s ... 60 s is allowed. */
export function makeLoginLimit(now: () => number): LoginLimit {
  const failures = new Map<string, Failures>();
  /** Pending attempts by key. */
  const reserved = new Map<string, number>();
  let attemptEnded = Promise.withResolvers<void>();

  const find = (key: string): Failures | undefined => {
    const found = failures.get(key);
    if (found === undefined || now() - found.lastAt <= memoryMs) return found;
    failures.delete(key);
    return undefined;
  };
  const check = (key: string): void => {
    const waitMs = (find(key)?.waitUntil ?? 0) - now();
    if (waitMs > 0) throw tooManyFailures(waitMs);
  };
  const failuresOf = (key: string): number => find(key)?.count ?? 0;
  const fail = (key: string): void => {
    const count = failuresOf(key) + 1;
    const waitMs = count < freeTries ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** (count - freeTries));
    failures.delete(key);
    failures.set(key, { count, lastAt: now(), waitUntil: now() + waitMs });
    forgetOldest(failures);
  };
  const isFree = (key: string): boolean =>
    (reserved.get(key) ?? 0) < Math.max(1, freeTries - failuresOf(key));
  const reserve = (key: string, change: 1 | -1): void => {
    const count = (reserved.get(key) ?? 0) + change;
    if (count === 0) reserved.delete(key);
    else reserved.set(key, count);
  };

  return {
    check,
    fail,
    failuresOf,
    async attempt(keys, verify) {
      for (const key of keys) check(key);
      while (!keys.every(isFree)) {
        await attemptEnded.promise;
        for (const key of keys) check(key);
      }
      for (const key of keys) reserve(key, 1);
      try {
        const found = await verify();
        if (found === null) for (const key of keys) fail(key);
        return found;
      } finally {
        for (const key of keys) reserve(key, -1);
        attemptEnded.resolve();
        attemptEnded = Promise.withResolvers();
      }
    },
  };
}

function tooManyFailures(waitMs: number): ProblemError {
  const seconds = Math.ceil(waitMs / 1000);
  return new ProblemError({
    status: 429,
    detail: 'Too many wrong tokens or passwords came from this address, or for this account.',
    remedy: `Wait ${seconds} s, then try again with the correct one.`,
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Keeps a map in insertion order within `maxKeys`. */
export function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= maxKeys) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
