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

/** Properties of a draft that the wizard computes without the server. */
export type PlanSoFar = ReturnType<typeof makePlanSoFar>;

/** Counts and checks a draft with the server's code. Expands the plan lazily. */
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
  // Many users enter the name last, and counts and times do not depend on it.
  const canRun = issues.every(({ field }) => field === 'name');
  let made: Plan | null | undefined;
  return {
    draft,
    view,
    issues,
    /** True if the draft can run, apart from a missing name. */
    canRun,
    /** The plan; null if the draft cannot run. Expands all combinations. */
    get plan(): Plan | null {
      made ??= canRun ? planOf(draft, testbed) : null;
      return made;
    },
    isListable,
    combinations: asked,
    parts: count.parts,
    /** Number of combinations for each level of each factor. */
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

/** Returns true if two drafts differ only in text by their author. A missing name counts as a difference. */
export function isSamePlan(a: ExperimentDraft, b: ExperimentDraft): boolean {
  const words: readonly string[] = ['name', 'question', 'notes'];
  const keys = Object.keys(b) as (keyof ExperimentDraft)[];
  const isNamed = (draft: ExperimentDraft) => draft.name.trim() !== '';
  return isNamed(a) === isNamed(b) && keys.every((key) => words.includes(key) || a[key] === b[key]);
}

/** Returns the part of a draft that the server checks, which excludes text by its author. */
function checkedPart(draft: ExperimentDraft): ExperimentDraft {
  return { ...draft, name: 'Untitled experiment', question: '', tags: [], notes: '' };
}

interface Multiplier {
  label: string;
  count: number;
}

/**
 * Explains how the number of treatments is composed: "Security 11 × QoS 2". Security factors are counted
 * together, because they exclude each other. Returns an empty result if the product does not match, because
 * other combinations are also impossible.
 */
export function multipliersOf({ parts, treatments }: PlanSoFar): Multiplier[] {
  const possible = parts.map((cells) =>
    cells.filter((cell) => cell.refusals.length === 0).map((cell) => cell.levels),
  );
  const secure = factors.filter((factor) => factor.group === 'security').map((factor) => factor.id);
  // Factors of different groups are independent.
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
  /** The draft that the server checked. */
  asked: Pick<ExperimentDraft, 'workload'>;
  /** True if `asked` is the current draft, false if it is the previous one. */
  isCurrent: boolean;
}

/** Duration and resolution of a plan, computed locally and then updated by the server's response. */
export type PlanForecast = ReturnType<typeof makeForecast>;

export function makeForecast(planning: PlanSoFar, answer: ServerAnswer | null) {
  const answered = answer?.check.estimate ?? null;
  const local = planning.canRun ? estimateCost(costSoFar(planning), answer && overheadOf(answer)) : null;
  const startsAt = answered?.startsAt ?? null;
  const isCurrent = answer?.isCurrent ?? false;
  return {
    estimate: local,
    // Unix ms; null until the first response.
    startsAt,
    finishesAt: startsAt !== null && local ? startsAt + local.durationMs : null,
    diskFreeBytes: answered?.diskFreeBytes ?? null,
    resolution: resolutionOf(answer, planning),
    // Earlier runs, if the server's response is for exactly this draft.
    earlier: isCurrent ? answer?.check.earlier : undefined,
    // Issues that only the server detects.
    serverIssues: isCurrent ? onlyOnServer(answer?.check.issues ?? [], planning.issues) : [],
    // Thresholds that the repetitions probably cannot resolve.
    warnings: isCurrent ? (answer?.check.warnings ?? []) : [],
    // True if the server's response is for exactly this draft.
    isConfirmed: isCurrent,
  };
}

/** Returns the known cost of a plan. Only the duration of a counted stream depends on the treatment. */
function costSoFar(planning: PlanSoFar): PlanCost {
  const { draft, treatments, repetitions } = planning;
  const { workload } = draft;
  const isCounted = workload.kind === 'stream' && workload.messages !== null;
  if (isCounted && planning.plan) return costOf(planning.plan);
  return { treatments, repetitions, workload, sampleHz: draft.sampleHz, meanMeasureMs: workload.measureMs };
}

/** Returns the median overhead in the server's estimate of one run; null if the server also has no data. */
function overheadOf({ check, asked }: ServerAnswer): number | null {
  if (check.estimate?.source !== 'observed') return null;
  return check.estimate.runMs - asked.workload.warmUpMs - asked.workload.measureMs;
}

/**
 * Returns undefined while unknown, and null if there are too few earlier runs. Ignores responses for another
 * metric or workload.
 */
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

/** Requests a check of the draft after a pause in typing. Keeps the last response while the server is unreachable. */
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
