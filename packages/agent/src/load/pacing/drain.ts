import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';

/** Interval between checks while a load drains, in ms. */
export const drainPollMs = 1;
/**
 * The drain ends after this time without a message. The time is shorter at QoS 0, because a message that the
 * broker dropped never arrives. It is longer if the link loses packets: TCP retransmits a segment after 0.2 s
 * at the earliest, then doubles the wait. Six consecutive losses take 12.6 s.
 */
const quietMs = { atMostOnce: 1_000, guaranteed: 5_000, lossyLink: 15_000 };

/**
 * Makes a check for `poll` that returns true if `complete` returns true, or if `seen` has not changed for a
 * while (NaN means still in progress).
 */
export function makeDrainCheck(
  { qos, impairment }: Pick<TrialSpec, 'qos' | 'impairment'>,
  { expected, complete, seen }: { expected: number | null; complete: () => boolean; seen: () => number },
): () => boolean {
  const usualMs = qos === 0 ? quietMs.atMostOnce : quietMs.guaranteed;
  const expectedMs = impairment.lossPercent > 0 ? quietMs.lossyLink : usualMs;
  const endAfterMs = expected === null ? quietMs.atMostOnce : expectedMs;
  let before = Number.NaN;
  let lastMs = performance.now();
  return () => {
    const now = seen();
    if (now !== before) lastMs = performance.now();
    before = now;
    return complete() || performance.now() - lastMs >= endAfterMs;
  };
}
