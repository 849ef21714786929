import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { countOf, expectedDeliveries } from '../evidence/evidence.ts';
import { carriesMessages, inWords } from '../workloads.ts';

/**
 * At QoS 2, a broker can only reuse a packet identifier after its handshake has ended (MQTT 5 section 2.2.1).
 * A receiver must discard a message that reuses an identifier earlier: the message arrived but does not
 * count.
 */
export const identifiersFree: VerdictDefinition = {
  id: 'identifiers-free',
  label: 'Broker reused no packet identifier too early',
  fault: 'Broker reused packet identifiers',
  remedy:
    'The broker sent new messages with identifiers whose QoS 2 handshake was still open, and MQTT requires receivers to discard such messages. Choose a lower rate, a smaller window, QoS 1, or another broker or version, then run again.',
  judge: (evidence) => {
    const { workload, applicationProtocol, qos } = evidence.spec;
    if (!carriesMessages(workload)) {
      return { status: 'not applicable', evidence: `${inWords(workload)} sends no messages` };
    }
    if (applicationProtocol !== 'mqtt' || qos !== 2) {
      return { status: 'not applicable', evidence: 'only QoS 2 reserves identifiers until PUBREL' };
    }
    const discarded = countOf(evidence, 'subscriber', 'identifierReused') ?? 0;
    return {
      status: discarded === 0 ? 'passed' : 'failed',
      evidence: `${discarded} of ${expectedDeliveries(evidence) ?? 0} messages arrived with an identifier in use and were discarded`,
    };
  },
};
