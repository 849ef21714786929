import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { countOf, deliveriesCounted, expectedDeliveries, lostOf } from '../evidence/evidence.ts';
import { carriesMessages, inWords } from '../workloads.ts';

export const nothingLost: VerdictDefinition = {
  id: 'nothing-lost',
  label: 'No messages lost at QoS 1 and 2',
  fault: 'Messages lost at QoS 1 or 2',
  remedy: 'Check the connection and the broker’s limits, then run again.',
  judge: (evidence) => {
    if (!carriesMessages(evidence.spec.workload)) {
      return { status: 'not applicable', evidence: `${inWords(evidence.spec.workload)} sends no messages` };
    }
    const expected = expectedDeliveries(evidence);
    const received = deliveriesCounted(evidence);
    if (expected === null || received === null)
      return { status: 'failed', evidence: 'messages were not counted' };
    const lost = lostOf(evidence) ?? 0;
    const discarded = countOf(evidence, 'subscriber', 'identifierReused') ?? 0;
    const duplicate = countOf(evidence, 'subscriber', 'duplicate') ?? 0;
    const figures = `${expected} sent, ${received} received, ${lost} lost, ${duplicate} duplicate${discarded > 0 ? `, ${discarded} discarded because the broker reused their identifier` : ''}`;
    const { applicationProtocol, qos } = evidence.spec;
    if (applicationProtocol === 'coap non-confirmable') {
      return { status: 'not applicable', evidence: `CoAP non-confirmable: ${figures}` };
    }
    if (applicationProtocol === 'mqtt' && qos === 0) {
      return { status: 'not applicable', evidence: `QoS 0: ${figures}` };
    }
    const doubled = evidence.spec.qos === 2 && duplicate > 0;
    return { status: lost === 0 && !doubled && expected > 0 ? 'passed' : 'failed', evidence: figures };
  },
};
