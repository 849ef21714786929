import type { TestbedCapabilities } from '../domain/devices/capabilities.ts';
import { makeTestbedView, type TestbedView } from '../domain/devices/testbed-view.ts';
import { type Issue, issuesOf } from '../domain/issue.ts';
import {
  type ExperimentDraft,
  experimentDraftSchema,
  planSchemaVersion,
} from '../domain/plans/experiment-draft.ts';
import type { Excluded, Plan, Treatment } from '../domain/plans/plan.ts';
import { checkDraft, limits } from './check-draft.ts';
import {
  type Cell,
  countCombinations,
  countTreatments,
  expandTreatments,
  type TreatmentCount,
} from './expand-treatments.ts';
import { makeSchedule } from './make-schedule.ts';
import { makeTreatments } from './make-treatments.ts';
import { nameTreatments, variedFactors } from './name-treatments.ts';

export type ParsedPlan = { ok: true; plan: Plan } | { ok: false; issues: Issue[] };

/**
 * Makes the plan for a draft. Impossible combinations become `plan.excluded` with their reasons. If no
 * combination can run or a value is out of bounds, returns every issue with its field and remedy.
 */
export function parsePlan(input: unknown, capabilities: TestbedCapabilities): ParsedPlan {
  const parsed = experimentDraftSchema.safeParse(input);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error) };
  const draft = parsed.data;
  const testbed = makeTestbedView(capabilities);

  const issues = findIssues(draft, testbed);
  if (issues.length > 0) return { ok: false, issues };

  const cells = expandTreatments(draft, testbed);
  const possible = cells.filter((cell) => cell.refusals.length === 0);
  const treatments = makeTreatments(possible, draft, testbed);
  return { ok: true, plan: makePlan(draft, treatments, excludedOf(cells)) };
}

/** Returns the issues that prevent a plan, without expanding its combinations. */
export function findIssues(
  draft: ExperimentDraft,
  testbed: TestbedView,
  countedBefore?: TreatmentCount,
): Issue[] {
  const issues = [...checkDraft(draft, testbed), ...checkSize(countCombinations(draft, testbed), draft)];
  if (issues.length > 0) return issues;
  const { treatments, parts } = countedBefore ?? countTreatments(draft, testbed);
  if (treatments === 0) return nothingPossible(parts.flat());
  const runs = treatments * draft.repetitions;
  return runs > limits.runs ? [tooManyRuns(runs)] : [];
}

function makePlan(draft: ExperimentDraft, treatments: Treatment[], excluded: Excluded[]): Plan {
  const {
    name,
    question,
    testbedId,
    workload,
    sampleHz,
    repetitions,
    stopping,
    order,
    seed,
    response,
    retries,
    thresholds = [],
  } = draft;
  return {
    schemaVersion: planSchemaVersion,
    name,
    question,
    testbedId,
    varied: variedFactors(treatments.map((treatment) => treatment.levels)),
    treatments,
    excluded,
    baselineKey: treatments[0]?.key ?? '',
    workload,
    sampleHz,
    repetitions,
    stopping,
    order,
    seed,
    response,
    retries,
    thresholds,
    trials: makeSchedule({
      treatmentKeys: treatments.map((treatment) => treatment.key),
      repetitions,
      order,
      seed,
    }),
  };
}

/**
 * Returns the impossible cells of a draft, named by the levels that distinguish them from each other and from one
 * possible cell.
 */
export function excludedOf(cells: readonly Cell[]): Excluded[] {
  const refused = cells.filter((cell) => cell.refusals.length > 0);
  const possible = cells.filter((cell) => cell.refusals.length === 0).slice(0, 1);
  const names = nameTreatments([...refused, ...possible].map(({ levels }) => levels));
  return refused.map(({ levels, refusals }, index) => ({
    levels,
    label: names[index]?.label ?? '',
    reasons: refusals,
  }));
}

function checkSize(combinations: number, { repetitions }: ExperimentDraft): Issue[] {
  if (combinations > limits.combinations) {
    return [
      {
        field: 'factors',
        reason: `the levels result in ${combinations} combinations, more than ${limits.combinations}`,
        remedy: 'Choose fewer levels, or split the question into several experiments.',
      },
    ];
  }
  return Number.isFinite(combinations * repetitions) ? [] : [tooManyRuns(Number.POSITIVE_INFINITY)];
}

function tooManyRuns(runs: number): Issue {
  return {
    field: 'repetitions',
    reason: `the plan has ${runs} runs, more than ${limits.runs}`,
    remedy: 'Choose fewer levels or repetitions.',
  };
}

function nothingPossible(cells: readonly Cell[]): Issue[] {
  const seen = new Map<string, Issue>();
  for (const { factor, reason, remedy } of cells.flatMap((cell) => cell.refusals)) {
    seen.set(`${factor}:${reason}`, { field: `factors.${factor}`, reason, remedy });
  }
  return [...seen.values()];
}
