import { brokerRoles, isBridged } from '../../domain/devices/device.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { resultOf } from '../evidence/evidence.ts';

interface Identity {
  pid: number;
  /** Start time of the process in clock ticks since boot, which is needed because a pid can be reused. */
  ticks: number;
}

function identityOf({ environment }: RoleResult, suffix: '' | 'AtEnd'): Identity | null {
  const pid = environment[`process.pid${suffix}`];
  const ticks = environment[`process.startTicks${suffix}`];
  return typeof pid === 'number' && typeof ticks === 'number' ? { pid, ticks } : null;
}

export const brokerStayedUp: VerdictDefinition = {
  id: 'broker-stayed-up',
  label: 'Broker did not restart',
  fault: 'Broker ended or restarted',
  remedy: 'Check the run’s log for the reason, then run again.',
  judge: (evidence) => {
    if (!isBridged(evidence.spec)) return judgeBroker(evidence, 'broker');
    const both = brokerRoles.map((role) => ({ role, judgement: judgeBroker(evidence, role) }));
    const worst = both.find(({ judgement }) => judgement.status === 'failed') ?? both[0];
    return {
      status: worst?.judgement.status ?? 'failed',
      evidence: both.map(({ role, judgement }) => `${role}: ${judgement.evidence}`).join('; '),
    };
  },
};

function judgeBroker(
  evidence: RunEvidence,
  role: (typeof brokerRoles)[number],
): ReturnType<VerdictDefinition['judge']> {
  const broker = resultOf(evidence, role);
  if (!broker) return { status: 'failed', evidence: `the ${role} device did not report` };
  if (broker.failure) return { status: 'failed', evidence: broker.failure.message };
  const start = identityOf(broker, '');
  const end = identityOf(broker, 'AtEnd');
  if (start === null && evidence.spec.broker === 'external') {
    return { status: 'not applicable', evidence: 'the process of the external broker is unknown' };
  }
  if (start === null)
    return { status: 'failed', evidence: 'the broker process was not identified at the start' };
  if (end === null)
    return { status: 'failed', evidence: `pid ${start.pid} at the start, no process at the end` };
  if (end.pid !== start.pid || end.ticks !== start.ticks) {
    return {
      status: 'failed',
      evidence: `pid ${start.pid} (start time ${start.ticks}) at the start, pid ${end.pid} (start time ${end.ticks}) at the end`,
    };
  }
  return { status: 'passed', evidence: `pid ${start.pid} from start to end` };
}
