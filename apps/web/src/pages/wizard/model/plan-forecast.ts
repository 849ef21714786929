import { useDebouncedValue } from '@mantine/hooks';
import { factors } from '@mqttlab/shared/catalogue/factors';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { type Issue, issuesOf } from '@mqttlab/shared/domain/issue';
import { isSameDraft } from '@mqttlab/shared/domain/plans/draft-tag';
import { type ExperimentDraft, experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { PlanCheck, Resolution } from '@mqttlab/shared/messages/http';
import { limits } from '@mqttlab/shared/planning/check-draft';
import { costOf, estimateCost, type PlanCost } from '@mqttlab/shared/planning/estimate';
import {
  countCombinations,
  countTreatments,
  type TreatmentCount,
} from '@mqttlab/shared/planning/expand-treatments';
import { findIssues, parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { useMemo, useState } from 'react';
import { useApi } from '../../../api/use-api.ts';

/** Everything the wizard can say about a draft without asking the server. */
export type PlanSoFar = ReturnType<typeof makePlanSoFar>;

/** Counts and checks a draft at once, by the same code that the server uses; expands it when its plan is read. */
export function makePlanSoFar(draft: ExperimentDraft, testbed: TestbedCapabilities) {
  const view = makeTestbedView(testbed);
  const asked = countCombinations(draft, view);
  const isListable = asked <= limits.combinations;
  const count: TreatmentCount = isListable
    ? countTreatments(draft, view)
    : { combinations: asked, treatments: 0, parts: [] };
  const parsed = experimentDraftSchema.safeParse(draft);
  const issues = parsed.success ? findIssues(parsed.data, view, count) : issuesOf(parsed.error);
  const isCountable = Number.isInteger(draft.repetitions) && draft.repetitions > 0;
  // The name comes last to many people; counts and times need not wait for it.
  const canRun = issues.every(({ field }) => field === 'name');
  let made: Plan | null | undefined;
  return {
    draft,
    view,
    issues,
    /** True if nothing but a name is missing. */
    canRun,
    /** What would run; null if it cannot. Expands every combination. */
    get plan(): Plan | null {
      made ??= canRun ? planOf(draft, testbed) : null;
      return made;
    },
    isListable,
    combinations: asked,
    parts: count.parts,
    /** Combinations in which each level of each factor occurs. */
    cells: count.parts.flat(),
    treatments: count.treatments,
    excluded: isListable ? count.combinations - count.treatments : 0,
    repetitions: draft.repetitions,
    runs: isCountable ? count.treatments * draft.repetitions : 0,
  };
}

function planOf(draft: ExperimentDraft, testbed: TestbedCapabilities): Plan | null {
  const parsed = parsePlan(draft.name.trim() === '' ? checkedPart(draft) : draft, testbed);
  return parsed.ok ? parsed.plan : null;
}

/** True if two drafts differ in nothing but words of their author; of the name it matters whether there is one. */
export function isSamePlan(a: ExperimentDraft, b: ExperimentDraft): boolean {
  const words: readonly string[] = ['name', 'question', 'notes'];
  const keys = Object.keys(b) as (keyof ExperimentDraft)[];
  const isNamed = (draft: ExperimentDraft) => draft.name.trim() !== '';
  return isNamed(a) === isNamed(b) && keys.every((key) => words.includes(key) || a[key] === b[key]);
}

/** The part of a draft that the server has something to say about; words of its author are left out. */
function checkedPart(draft: ExperimentDraft): ExperimentDraft {
  return { ...draft, name: 'Untitled experiment', question: '', tags: [], notes: '' };
}

interface Multiplier {
  label: string;
  count: number;
}

/**
 * "Security 11 × QoS 2": what the number of treatments is made of. Security factors are counted together, for they
 * exclude each other. Empty where the product does not come out, because other combinations are impossible too.
 */
export function multipliersOf({ parts, treatments }: PlanSoFar): Multiplier[] {
  const possible = parts.map((cells) =>
    cells.filter((cell) => cell.refusals.length === 0).map((cell) => cell.levels),
  );
  const secure = factors.filter((factor) => factor.group === 'security').map((factor) => factor.id);
  // Factors of different parts are independent.
  const distinct = (ids: readonly string[]) =>
    possible.reduce(
      (product, part) =>
        product * new Set(part.map((levels) => JSON.stringify(ids.map((id) => levels[id] ?? null)))).size,
      1,
    );
  const all = [
    { label: 'Security', count: distinct(secure) },
    ...factors
      .filter((factor) => factor.group !== 'security')
      .map((factor) => ({ label: factor.label, count: distinct([factor.id]) })),
  ];
  const product = all.reduce((total, { count }) => total * count, 1);
  return product === treatments ? all.filter(({ count }) => count > 1) : [];
}

interface ServerAnswer {
  check: PlanCheck;
  /** What it is about. */
  asked: Pick<ExperimentDraft, 'workload'>;
  /** Whether that is the draft on screen, or the one before. */
  isCurrent: boolean;
}

/** What a plan takes and can show: counted here at once, with what only the server knows filled in as it answers. */
export type PlanForecast = ReturnType<typeof makeForecast>;

export function makeForecast(planning: PlanSoFar, answer: ServerAnswer | null) {
  const told = answer?.check.estimate ?? null;
  const local = planning.canRun ? estimateCost(costSoFar(planning), answer && overheadOf(answer)) : null;
  const startsAt = told?.startsAt ?? null;
  const isCurrent = answer?.isCurrent ?? false;
  return {
    estimate: local,
    // Unix ms; null until the server has answered once.
    startsAt,
    finishesAt: startsAt !== null && local ? startsAt + local.durationMs : null,
    diskFreeBytes: told?.diskFreeBytes ?? null,
    resolution: resolutionOf(answer, planning),
    // Issues that only the server sees.
    serverIssues: isCurrent ? onlyOnServer(answer?.check.issues ?? [], planning.issues) : [],
    // Thresholds that the repetitions probably cannot resolve.
    warnings: isCurrent ? (answer?.check.warnings ?? []) : [],
    // The server has answered for exactly this draft.
    isConfirmed: isCurrent,
  };
}

/** Only a counted stream takes a different time in each treatment. */
function costSoFar(planning: PlanSoFar): PlanCost {
  const { draft, treatments, repetitions } = planning;
  const { workload } = draft;
  const isCounted = workload.kind === 'stream' && workload.messages !== null;
  if (isCounted && planning.plan) return costOf(planning.plan);
  return { treatments, repetitions, workload, sampleHz: draft.sampleHz, meanMeasureMs: workload.measureMs };
}

/** The median overhead that the server has seen, inside its estimate of one run; null where it guessed too. */
function overheadOf({ check, asked }: ServerAnswer): number | null {
  if (check.estimate?.source !== 'observed') return null;
  return check.estimate.runMs - asked.workload.warmUpMs - asked.workload.measureMs;
}

/** undefined while nothing is known, null where earlier runs of this kind are too few; an answer about another response or workload says nothing about this one. */
function resolutionOf(
  answer: ServerAnswer | null,
  { canRun, draft }: PlanSoFar,
): Resolution | null | undefined {
  if (!canRun || answer?.asked.workload.kind !== draft.workload.kind || !answer.check.estimate)
    return undefined;
  const { resolution } = answer.check;
  if (resolution === null) return null;
  return resolution.metric === draft.response ? resolution : undefined;
}

function onlyOnServer(server: readonly Issue[], local: readonly Issue[]): Issue[] {
  return server.filter(
    (issue) => !local.some((one) => one.field === issue.field && one.reason === issue.reason),
  );
}

type KeptAnswer = Pick<ServerAnswer, 'check'> & { asked: ExperimentDraft };

/** Requests a check of the draft after a pause in typing; keeps the last answer, also while the server is unreachable. */
export function usePlanCheck(draft: ExperimentDraft): ServerAnswer | null {
  const current = useMemo(() => checkedPart(draft), [draft]);
  const [asked] = useDebouncedValue(current, 400);
  const { data } = useApi(
    'POST /plan/check',
    { body: asked },
    { staleTime: 60_000, gcTime: 60_000, select: (check): KeptAnswer => ({ check, asked }) },
  );
  const [last, setLast] = useState<KeptAnswer | null>(null);
  if (data && data !== last) setLast(data);
  const answer = data ?? last;
  return answer && { ...answer, isCurrent: isSameDraft(answer.asked, current) };
}
