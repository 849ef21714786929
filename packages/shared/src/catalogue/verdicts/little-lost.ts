import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatNumber } from '../../format/number.ts';
import { deliveriesCounted, expectedDeliveries, lostOf } from '../evidence/evidence.ts';
import { carriesMessages, inWords } from '../workloads.ts';

/** Maximum share of lost deliveries if lost messages are not retransmitted. */
const maxShare = 0.01;

export const littleLost: VerdictDefinition = {
  id: 'little-lost',
  label: 'Few messages lost at QoS 0',
  fault: 'Too many messages lost at QoS 0',
  remedy: 'Check the connection or send fewer messages per second, then run again.',
  judge: (evidence) => {
    const { workload, qos, applicationProtocol, impairment } = evidence.spec;
    if (!carriesMessages(workload)) {
      return { status: 'not applicable', evidence: `${inWords(workload)} sends no messages` };
    }
    const isMqtt = applicationProtocol === 'mqtt';
    if (isMqtt ? qos > 0 : applicationProtocol === 'coap confirmable') {
      return { status: 'not applicable', evidence: 'every message is acknowledged, so none should be lost' };
    }
    // TCP retransmits lost packets, but non-confirmable CoAP does not.
    if (!isMqtt && impairment.lossPercent > 0) {
      return { status: 'not applicable', evidence: `the link drops ${impairment.lossPercent} % on purpose` };
    }
    const expected = expectedDeliveries(evidence);
    const received = deliveriesCounted(evidence);
    if (expected === null || received === null)
      return { status: 'failed', evidence: 'messages were not counted' };
    if (expected === 0) return { status: 'not applicable', evidence: 'no messages were expected to arrive' };
    const lost = lostOf(evidence) ?? 0;
    const share = formatNumber((100 * lost) / expected);
    return {
      status: lost <= maxShare * expected ? 'passed' : 'failed',
      evidence: `${lost} of ${expected} never arrived, ${share} %; limit ${100 * maxShare} %`,
    };
  },
};
