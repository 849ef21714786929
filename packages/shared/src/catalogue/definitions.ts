import type { RunEvidence } from '../domain/runs/verdict.ts';
import { latencyKind } from './evidence/evidence.ts';

/**
 * Raised whenever the same evidence gives another value of a metric, or another verdict. What earlier versions computed
 * is then computed anew from the stored evidence.
 */
export const definitionsVersion = 3;

/** What each version changed, for those who look at figures that are not what they were. */
export const definitionChanges: readonly { version: number; what: string }[] = [
  {
    version: 2,
    what: 'rates count what arrived inside the measure window where that was recorded, connection set-up is one span from SYN to CONNACK, bytes per connection leave the warm-up out, segments sent again are those of the publisher’s own sockets, idle power of a meter’s file leaves out all time in which a run went on, and other programs may use less of the processor before a run is flagged',
  },
  {
    version: 3,
    what: 'messages that arrived at QoS 2 under a packet identifier in use are counted apart from lost ones, with a verdict that names the broker as the cause; a busy device is recognised in runs shorter than a sampling interval, and the test for a steady warm-up has its stated size; a late generator leaves out bytes per message under TLS, encrypted throughput needs a payload cipher, and an external broker without a named process counts as another program',
  },
];

/** What the figures of a group of metrics rest on, by group: figures of different bases are never compared. */
export function basesOf(evidence: RunEvidence): Record<string, string> {
  const latency = latencyKind(evidence);
  const energy = [...new Set(evidence.results.flatMap(({ energy: own }) => own?.quality ?? []))];
  return {
    ...(latency === null ? {} : { latency }),
    ...(energy.length === 0 ? {} : { energy: energy.sort().join(' and ') }),
  };
}
