import type { RunEvidence } from '../domain/runs/verdict.ts';
import { latencyKind } from './evidence/evidence.ts';

/**
 * Incremented whenever the same evidence results in a different metric value or verdict. Results from earlier
 * versions are then computed again from the stored evidence.
 */
export const definitionsVersion = 3;

/** Changes in each version, shown next to values that have changed. */
export const definitionChanges: readonly { version: number; what: string }[] = [
  {
    version: 2,
    what: 'rates count messages that arrived within the measure window if it was recorded, connection set-up is one span from SYN to CONNACK, bytes per connection exclude the warm-up, retransmitted segments are those of the publisher’s own sockets, idle power from a meter file excludes all time in which a run was active, and other programs may use less CPU before a run is flagged',
  },
  {
    version: 3,
    what: 'messages that arrived at QoS 2 with a packet identifier in use are counted separately from lost ones, with a verdict that names the broker as the cause; a busy device is detected in runs shorter than a sampling interval, and the test for a steady warm-up has its stated significance level; bytes per message under TLS are excluded if the generator was late; encrypted throughput needs a payload cipher; and an external broker with an unknown process counts as another program',
  },
];

/** Returns the basis of each group of metrics. Values with different bases are never compared. */
export function basesOf(evidence: RunEvidence): Record<string, string> {
  const latency = latencyKind(evidence);
  const energy = [...new Set(evidence.results.flatMap((result) => result.energy?.quality ?? []))];
  return {
    ...(latency === null ? {} : { latency }),
    ...(energy.length === 0 ? {} : { energy: energy.sort().join(' and ') }),
  };
}
