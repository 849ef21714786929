import { deliveriesOf, isCoap } from '../../domain/plans/trial-spec.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import { countOf, deliveriesCounted, expectedDeliveries } from '../evidence/evidence.ts';
import { arrivedOf, sentOf } from '../evidence/throughput-evidence.ts';
import { carriesMessages, endsEarly, heldBackMs, inWords } from '../workloads.ts';
import { queueing } from './matters.ts';

/** On a schedule: share of the deliveries sent by which those under way may have become more ... */
const maxShare = 0.05;
/** ... if it is more than what is due in this time, which is under way at any moment of a busy machine. ms. */
const minMs = 300;
/** As fast as possible queues and buffers fill up at first: only what grows so much in both halves goes on growing. */
const maxShareOfHalf = 0.1;

interface Backlog {
  /** Deliveries that were sent for, and that arrived, in each half. */
  sent: readonly [number, number];
  arrived: readonly [number, number];
  /** Of those sent at QoS 0, never delivered: they are not under way. */
  lost: number;
  runMs: number;
}

function backlogOf(evidence: RunEvidence): Backlog | null {
  const { spec } = evidence;
  const [found, sent] = [arrivedOf(evidence), sentOf(evidence)];
  const [expected, measured] = [expectedDeliveries(evidence), countOf(evidence, 'publisher', 'sent')];
  const received = deliveriesCounted(evidence);
  if (!found || !sent || expected === null || !measured || received === null) return null;
  const each = expected / measured;
  const mayLose = isCoap(spec) ? spec.applicationProtocol === 'coap non-confirmable' : spec.qos === 0;
  return {
    sent: [sent.firstHalf * each, sent.secondHalf * each],
    arrived: [found.arrived.firstHalf, found.arrived.secondHalf],
    lost: mayLose ? Math.max(0, expected - received) : 0,
    runMs: (found.endUs - found.startUs) / 1000,
  };
}

/** Deliveries under way at any moment: those due in a short time or in a whole burst, and one to each subscriber. */
function usualOf({ spec }: RunEvidence, { sent, runMs }: Backlog): number {
  const cycleMs = spec.workload === 'burst' ? spec.burstOnMs + spec.burstOffMs : 0;
  const ms = minMs + heldBackMs(spec) + cycleMs;
  const one = spec.publishers * Math.max(1, deliveriesOf(spec));
  return Math.max(one, ((sent[0] + sent[1]) * ms) / runMs);
}

export const backlogSteady: VerdictDefinition = {
  id: 'backlog-steady',
  label: 'Backlog did not grow',
  fault: 'Backlog kept growing',
  remedy:
    'Send fewer messages per second than the slowest device can pass on: clone the plan and lower the rate.',
  matters: queueing,
  judge: (evidence) => {
    const { spec } = evidence;
    if (!carriesMessages(spec.workload)) {
      return { status: 'not applicable', evidence: `${inWords(spec.workload)} sends no messages` };
    }
    const paced = spec.readingsPerSecond !== null;
    if (endsEarly(spec) && !paced) {
      return {
        status: 'not applicable',
        evidence: 'this many messages at once are a backlog from the start',
      };
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
      : `${halves.map((more) => formatCount(Math.round(more))).join(' and ')} in its halves, limit ${100 * maxShareOfHalf} % in both`;
    return {
      status: grew ? 'failed' : 'passed',
      evidence: `${formatCount(Math.round(growth))} of ${formatCount(Math.round(all))} deliveries more under way at the end of measuring than at its start${share}; ${limit}`,
    };
  },
};
