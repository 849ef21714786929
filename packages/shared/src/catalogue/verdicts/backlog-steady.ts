import { deliveriesOf, isCoap } from '../../domain/plans/trial-spec.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import { countOf, deliveriesCounted, expectedDeliveries } from '../evidence/evidence.ts';
import { arrivedOf, sentOf } from '../evidence/throughput-evidence.ts';
import { carriesMessages, endsEarly, heldBackMs, inWords } from '../workloads.ts';
import { queueing } from './matters.ts';

/** For scheduled loads: maximum growth of the deliveries in flight, as a share of the sent deliveries ... */
const maxShare = 0.05;
/**
 * ... if the growth exceeds the deliveries due in this time, in ms, which are always in flight on a busy
 * machine.
 */
const minMs = 300;
/**
 * For loads as fast as possible, queues and buffers fill up at first. Only growth by this share in both
 * halves counts.
 */
const maxShareOfHalf = 0.1;

interface Backlog {
  /** Sent and arrived deliveries in each half of the measure phase. */
  sent: readonly [number, number];
  arrived: readonly [number, number];
  /** Deliveries lost at QoS 0, which are not in flight. */
  lost: number;
  runMs: number;
}

function backlogOf(evidence: RunEvidence): Backlog | null {
  const { spec } = evidence;
  const [throughput, sent] = [arrivedOf(evidence), sentOf(evidence)];
  const [expected, measured] = [expectedDeliveries(evidence), countOf(evidence, 'publisher', 'sent')];
  const received = deliveriesCounted(evidence);
  if (!throughput || !sent || expected === null || !measured || received === null) return null;
  const each = expected / measured;
  const mayLose = isCoap(spec) ? spec.applicationProtocol === 'coap non-confirmable' : spec.qos === 0;
  return {
    sent: [sent.firstHalf * each, sent.secondHalf * each],
    arrived: [throughput.arrived.firstHalf, throughput.arrived.secondHalf],
    lost: mayLose ? Math.max(0, expected - received) : 0,
    runMs: (throughput.endUs - throughput.startUs) / 1000,
  };
}

/**
 * Returns the usual number of deliveries in flight: the deliveries due in a short time or in one burst, and
 * one to each subscriber.
 */
function usualOf({ spec }: RunEvidence, { sent, runMs }: Backlog): number {
  const cycleMs = spec.workload === 'burst' ? spec.burstOnMs + spec.burstOffMs : 0;
  const ms = minMs + heldBackMs(spec) + cycleMs;
  const least = spec.publishers * Math.max(1, deliveriesOf(spec));
  return Math.max(least, ((sent[0] + sent[1]) * ms) / runMs);
}

export const backlogSteady: VerdictDefinition = {
  id: 'backlog-steady',
  label: 'Backlog did not grow',
  fault: 'Backlog grew continuously',
  remedy: 'Clone the plan with a lower rate, so that the slowest device can forward all messages.',
  matters: queueing,
  judge: (evidence) => {
    const { spec } = evidence;
    if (!carriesMessages(spec.workload)) {
      return { status: 'not applicable', evidence: `${inWords(spec.workload)} sends no messages` };
    }
    const paced = spec.readingsPerSecond !== null;
    if (endsEarly(spec) && !paced) {
      return { status: 'not applicable', evidence: 'sending all messages at once creates a backlog' };
    }
    const backlog = backlogOf(evidence);
    if (backlog === null) return { status: 'not applicable', evidence: 'arrival times were not recorded' };
    const { sent, arrived, lost } = backlog;
    const all = sent[0] + sent[1];
    const growth = all - arrived[0] - arrived[1] - lost;
    const halves = [0, 1].map((half) => (sent[half] ?? 0) - (arrived[half] ?? 0) - lost / 2);
    const grew = paced
      ? growth > Math.max(maxShare * all, usualOf(evidence, backlog))
      : halves.every((more, half) => more > maxShareOfHalf * (sent[half] ?? 0));
    const share = all === 0 ? '' : `, ${formatNumber((100 * growth) / all)} %`;
    const limit = paced
      ? `limit ${100 * maxShare} %`
      : `${halves.map((more) => formatCount(Math.round(more))).join(' and ')} in the two halves, limit ${100 * maxShareOfHalf} % in both`;
    return {
      status: grew ? 'failed' : 'passed',
      evidence: `deliveries in flight grew by ${formatCount(Math.round(growth))} out of ${formatCount(Math.round(all))} in the measure phase${share}; ${limit}`,
    };
  },
};
