import { isCoap, type TrialSpec } from '../domain/plans/trial-spec.ts';

/** What the link holds each message back on purpose, twice on its way: to the broker and from it. ms. */
export function heldBackMs({ impairment, applicationProtocol }: TrialSpec): number {
  const { delayMs, jitterMs, direction } = impairment;
  const times = direction === 'both' || isCoap({ applicationProtocol }) ? 2 : 1;
  return times * (delayMs + jitterMs);
}

/** Longest time between two messages that are due, of all publishers together; null as fast as possible. ms. */
export function longestDueGapMs(spec: TrialSpec): number | null {
  const { readingsPerSecond, readingsPerMessage, publishers, alterEvery, workload } = spec;
  if (readingsPerSecond === null) return null;
  const periodMs = (1000 * readingsPerMessage) / readingsPerSecond;
  if (workload === 'burst') return spec.burstOffMs + 2 * Math.min(periodMs, spec.burstOnMs);
  // What was altered is refused, at the same number of every publisher.
  return alterEvery > 0 ? 2 * periodMs : periodMs / publishers;
}
