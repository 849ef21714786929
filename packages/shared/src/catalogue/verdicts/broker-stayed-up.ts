import type { VerdictDefinition } from '../../domain/verdict.ts';
import { resultOf } from '../evidence.ts';

export const brokerStayedUp: VerdictDefinition = {
  id: 'broker-stayed-up',
  label: 'Broker did not restart',
  judge: (evidence) => {
    const broker = resultOf(evidence, 'broker');
    if (!broker) return { status: 'failed', evidence: 'the broker device did not report' };
    if (broker.failure) return { status: 'failed', evidence: broker.failure.message };
    return {
      status: 'passed',
      evidence: `pid ${broker.environment['process.pid'] ?? 'unknown'} from start to end`,
    };
  },
};
