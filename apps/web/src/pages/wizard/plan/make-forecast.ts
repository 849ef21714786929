import type { Issue } from '@mqttlab/shared/domain/issue';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { PlanCheck, Resolution } from '@mqttlab/shared/messages/http';
import { type Estimate, estimate } from '@mqttlab/shared/planning/estimate';
import type { PlanSoFar } from './plan-so-far.ts';

/** What a plan takes and can show: counted here at once, with what only the server knows filled in as it answers. */
export interface PlanForecast {
  estimate: Estimate | null;
  /** Unix ms; null until the server has answered once. */
  startsAt: number | null;
  finishesAt: number | null;
  diskFreeBytes: number | null;
  /** undefined while nothing is known; null where there are no earlier runs of this kind. */
  resolution: Resolution | null | undefined;
  /** Issues that only the server sees. */
  serverIssues: Issue[];
  /** The server has answered for exactly this draft. */
  isConfirmed: boolean;
}

export interface ServerAnswer {
  check: PlanCheck;
  /** What it is about. */
  asked: Pick<ExperimentDraft, 'workload'>;
  /** Whether that is the draft on screen, or the one before. */
  isCurrent: boolean;
}

export function makeForecast(planning: PlanSoFar, answer: ServerAnswer | null): PlanForecast {
  const told = answer?.check.estimate ?? null;
  const local = planning.plan && estimate(planning.plan, answer && overheadOf(answer));
  const startsAt = told?.startsAt ?? null;
  const isCurrent = answer?.isCurrent ?? false;
  return {
    estimate: local,
    startsAt,
    finishesAt: startsAt !== null && local ? startsAt + local.durationMs : null,
    diskFreeBytes: told?.diskFreeBytes ?? null,
    resolution: resolutionOf(answer, planning),
    serverIssues: isCurrent ? onlyOnServer(answer?.check.issues ?? [], planning.issues) : [],
    isConfirmed: isCurrent,
  };
}

/** The median overhead that the server has seen, inside its estimate of one run; null where it guessed too. */
function overheadOf({ check, asked }: ServerAnswer): number | null {
  if (check.estimate?.source !== 'observed') return null;
  return check.estimate.runMs - asked.workload.warmUpMs - asked.workload.measureMs;
}

/** An answer about another response says nothing about this one. */
function resolutionOf(answer: ServerAnswer | null, { plan }: PlanSoFar): PlanForecast['resolution'] {
  if (!answer?.check.estimate) return undefined;
  const { resolution } = answer.check;
  if (resolution === null) return null;
  return resolution.metric === plan?.response ? resolution : undefined;
}

function onlyOnServer(server: readonly Issue[], local: readonly Issue[]): Issue[] {
  return server.filter(
    (issue) => !local.some((one) => one.field === issue.field && one.reason === issue.reason),
  );
}
