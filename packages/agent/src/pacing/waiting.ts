import { setTimeout as wait } from 'node:timers/promises';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';

/** Something that happens once and that several may wait for. */
export class Latch {
  #open: () => void = () => {};
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.#open = resolve;
  });

  /** Idempotent. */
  open(): void {
    this.#open();
  }
}

/** The promise, unless it takes longer than `timeoutMs`: then it rejects with `failure()`. */
export async function within<T>(timeoutMs: number, failure: () => Error, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(failure()), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the promise settled within `timeoutMs`. Never rejects. */
export async function waitAtMost(timeoutMs: number, promise: Promise<unknown>): Promise<boolean> {
  const late = new Error('late');
  const settled = promise.catch(() => {});
  return await within(timeoutMs, () => late, settled).then(
    () => true,
    () => false,
  );
}

/** Calls `step` for every item, at most `limit` at once; rejects with the first failure, after which no more begin. */
export async function eachLimited<T>(
  items: readonly T[],
  limit: number,
  step: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (const item of left) {
      if (failed) return;
      try {
        await step(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
}

const pollMs = 1;
/**
 * After this time without a message the drain ends. Sooner at QoS 0, because a message that the broker dropped never
 * comes; later if the link loses packets: TCP repeats a segment after 0.2 s at the earliest, then after twice the time
 * before, and six losses in a row take 12.6 s.
 */
const quietMs = { atMostOnce: 1_000, guaranteed: 5_000, lossyLink: 15_000 };

/** Until all is complete, or `seen` (NaN: something is under way) stays the same for a while, or the Trial's time is over. */
export async function untilQuiet(
  { qos, drainTimeoutMs, impairment }: Pick<TrialSpec, 'qos' | 'drainTimeoutMs' | 'impairment'>,
  { expected, complete, seen }: { expected: number | null; complete: () => boolean; seen: () => number },
): Promise<void> {
  const usualMs = qos === 0 ? quietMs.atMostOnce : quietMs.guaranteed;
  const expectedMs = impairment.lossPercent > 0 ? quietMs.lossyLink : usualMs;
  const patienceMs = expected === null ? quietMs.atMostOnce : expectedMs;
  const deadlineMs = performance.now() + drainTimeoutMs;
  let before = seen();
  let lastMs = performance.now();
  while (!complete() && performance.now() < deadlineMs && performance.now() - lastMs < patienceMs) {
    await wait(pollMs);
    const now = seen();
    if (now !== before) lastMs = performance.now();
    before = now;
  }
}
