import type { RunEvidence } from '../domain/metric.ts';
import type { Verdict, VerdictDefinition } from '../domain/verdict.ts';
import { brokerStayedUp } from './verdicts/broker-stayed-up.ts';
import { collectorsWorked } from './verdicts/collectors-worked.ts';
import { enoughMessages } from './verdicts/enough-messages.ts';
import { keptSchedule } from './verdicts/kept-schedule.ts';
import { negotiatedAsAsked } from './verdicts/negotiated-as-asked.ts';
import { nothingLost } from './verdicts/nothing-lost.ts';

/** Every check, in the order of the run page. A failed one flags the Run. */
export const verdicts: readonly VerdictDefinition[] = [
  negotiatedAsAsked,
  nothingLost,
  keptSchedule,
  brokerStayedUp,
  enoughMessages,
  collectorsWorked,
];

export function judgeRun(evidence: RunEvidence): Verdict[] {
  return verdicts.map(({ id, label, judge }) => ({ id, label, ...judge(evidence) }));
}
