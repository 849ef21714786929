import { type Flow, flows } from '../../domain/plans/impairment.ts';
import { isCoap, payloadBytesOf } from '../../domain/plans/trial-spec.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatNumber } from '../../format/number.ts';
import { ratioOf } from '../evidence/evidence.ts';
import { arrivedOf, deliveriesWhileMeasuring, messagesHandled } from '../evidence/throughput-evidence.ts';
import { carriesMessages, inWords } from '../workloads.ts';

/** Tolerance for timers, and for data already queued when the measure phase began. */
const tolerance = 1.05;

/** Returns the payload rate in one direction during the measure phase, in Mbit/s; null if it is unknown. */
function payloadRate(evidence: RunEvidence, flow: Flow): number | null {
  const { spec } = evidence;
  const throughput = arrivedOf(evidence);
  const deliveries = deliveriesWhileMeasuring(evidence);
  if (throughput === null || deliveries === null) return null;
  // Bits per µs equal Mbit/s.
  if (flow === 'from the broker' && spec.topology === 'direct') {
    return ratioOf((8 * deliveries.payloadBytes) / 1e6, deliveries.seconds);
  }
  const messages = messagesHandled(evidence) ?? 0;
  return ratioOf(8 * messages * payloadBytesOf(spec), throughput.endUs - throughput.startUs);
}

/**
 * Returns the maximum rate in Mbit/s: the limit applies to each interface of each sending device, plus the
 * burst of its queue.
 */
function capacityOf({ spec, results }: RunEvidence, flow: Flow): number {
  const rules = results.flatMap(({ shaping }) =>
    shaping.filter((rule) => rule.flow === flow && rule.rateMbit !== null),
  );
  const places = rules.reduce((sum, { interfaces }) => sum + Math.max(1, interfaces.length), 0);
  const forgiven = rules.reduce((sum, { burstBytes }) => sum + 8 * burstBytes, 0);
  return (spec.impairment.rateMbit ?? 0) * Math.max(1, places) + forgiven / (1000 * spec.measureMs);
}

export const goodputWithinLimit: VerdictDefinition = {
  id: 'goodput-within-limit',
  label: "Goodput within the link's limit",
  fault: "Goodput above the link's limit",
  remedy: 'Check that all traffic uses the limited interface, then run again.',
  judge: (evidence) => {
    const { impairment, workload, link } = evidence.spec;
    if (impairment.rateMbit === null) {
      return { status: 'not applicable', evidence: `no rate limit was requested on ${link}` };
    }
    if (!carriesMessages(workload)) {
      return { status: 'not applicable', evidence: `${inWords(workload)} sends no messages` };
    }
    // CoAP responses carry no payload.
    const ways = flows.filter(
      (flow) =>
        (impairment.direction === 'both' || impairment.direction === flow) &&
        !(isCoap(evidence.spec) && flow === 'from the broker'),
    );
    const rows = ways.flatMap((flow) => {
      const rate = payloadRate(evidence, flow);
      return rate === null ? [] : [{ flow, rate, most: capacityOf(evidence, flow) * tolerance }];
    });
    if (rows.length === 0)
      return { status: 'not applicable', evidence: 'no payload was counted in that direction' };
    const words = rows.map(
      ({ flow, rate, most }) =>
        `${formatNumber(rate)} Mbit/s of payload ${flow}, limit ${formatNumber(most)}`,
    );
    return {
      status: rows.every(({ rate, most }) => rate <= most) ? 'passed' : 'failed',
      evidence: words.join('; '),
    };
  },
};
