import { fitSentence } from '../domain/bounds.ts';
import type { RunEvidence, Verdict, VerdictDefinition } from '../domain/runs/verdict.ts';
import { aesAsAsked } from './verdicts/aes-as-asked.ts';
import { backlogSteady } from './verdicts/backlog-steady.ts';
import { brokerStayedUp } from './verdicts/broker-stayed-up.ts';
import { captureAgrees } from './verdicts/capture-agrees.ts';
import { clockGoodEnough } from './verdicts/clock-good-enough.ts';
import { collectorsWorked } from './verdicts/collectors-worked.ts';
import { deviceIdle } from './verdicts/device-idle.ts';
import { enoughMessages } from './verdicts/enough-messages.ts';
import { goodputWithinLimit } from './verdicts/goodput-within-limit.ts';
import { identifiersFree } from './verdicts/identifiers-free.ts';
import { impairmentApplied } from './verdicts/impairment-applied.ts';
import { keptArriving } from './verdicts/kept-arriving.ts';
import { keptSchedule } from './verdicts/kept-schedule.ts';
import { linkUsed } from './verdicts/link-used.ts';
import { littleLost } from './verdicts/little-lost.ts';
import { negotiatedAsAsked } from './verdicts/negotiated-as-asked.ts';
import { noThrottling } from './verdicts/no-throttling.ts';
import { nothingLost } from './verdicts/nothing-lost.ts';
import { payloadsAuthentic } from './verdicts/payloads-authentic.ts';
import { radioSteady } from './verdicts/radio-steady.ts';
import { separateRecords } from './verdicts/separate-records.ts';
import { warmUpLongEnough } from './verdicts/warm-up-long-enough.ts';

/** All verdicts, in the order of the run page. A failed verdict flags the run. */
export const verdicts: readonly VerdictDefinition[] = [
  negotiatedAsAsked,
  aesAsAsked,
  captureAgrees,
  nothingLost,
  identifiersFree,
  littleLost,
  payloadsAuthentic,
  keptSchedule,
  separateRecords,
  keptArriving,
  backlogSteady,
  clockGoodEnough,
  noThrottling,
  linkUsed,
  radioSteady,
  impairmentApplied,
  goodputWithinLimit,
  warmUpLongEnough,
  brokerStayedUp,
  deviceIdle,
  enoughMessages,
  collectorsWorked,
];

export function judgeRun(evidence: RunEvidence): Verdict[] {
  return verdicts.map(({ id, label, judge }) => {
    const judged = judge(evidence);
    return { id, label, status: judged.status, evidence: fitSentence(judged.evidence) };
  });
}
