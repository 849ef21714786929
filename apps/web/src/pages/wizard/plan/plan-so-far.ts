import { factors } from '@mqttlab/shared/catalogue/factors';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView, type TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { Issue } from '@mqttlab/shared/domain/issue';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { limits } from '@mqttlab/shared/planning/check-draft';
import { type Cell, countCombinations, expandTreatments } from '@mqttlab/shared/planning/expand-treatments';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';

/** Everything the wizard can say about a draft without asking the server. */
export interface PlanSoFar {
  view: TestbedView;
  issues: Issue[];
  /** What would run, even while the draft has no name yet; null while something else is wrong. */
  plan: Plan | null;
  /** Every combination, impossible ones too; empty where there are too many to list. */
  cells: readonly Cell[];
  combinations: number;
  /** Possible combinations. */
  treatments: number;
  excluded: number;
  repetitions: number;
  runs: number;
}

/** Draft to plan at once, by the same code that the server uses. */
export function makePlanSoFar(draft: ExperimentDraft, testbed: TestbedCapabilities): PlanSoFar {
  const view = makeTestbedView(testbed);
  const combinations = countCombinations(draft, view);
  const cells = combinations > limits.combinations ? [] : expandTreatments(draft, view);
  const treatments = cells.filter((cell) => cell.refusals.length === 0).length;
  const parsed = parsePlan(draft, testbed);
  const isCountable = Number.isInteger(draft.repetitions) && draft.repetitions > 0;
  return {
    view,
    issues: parsed.ok ? [] : parsed.issues,
    plan: parsed.ok ? parsed.plan : planWithoutName(draft, testbed),
    cells,
    combinations,
    treatments,
    excluded: cells.length - treatments,
    repetitions: draft.repetitions,
    runs: isCountable ? treatments * draft.repetitions : 0,
  };
}

/** The name comes last to many people; counts and times need not wait for it. */
function planWithoutName(draft: ExperimentDraft, testbed: TestbedCapabilities): Plan | null {
  if (draft.name.trim() !== '') return null;
  const parsed = parsePlan(checkedPart(draft), testbed);
  return parsed.ok ? parsed.plan : null;
}

/** The part of a draft that the server has something to say about; words of its author are left out. */
export function checkedPart(draft: ExperimentDraft): ExperimentDraft {
  return { ...draft, name: 'Untitled experiment', question: '', tags: [], notes: '' };
}

export interface Multiplier {
  label: string;
  count: number;
}

/**
 * "Security 11 × QoS 2": what the number of treatments is made of. Security factors are counted together, for they
 * exclude each other. Empty where the product does not come out, because other combinations are impossible too.
 */
export function multipliersOf({ cells, treatments }: PlanSoFar): Multiplier[] {
  const possible = cells.filter((cell) => cell.refusals.length === 0).map((cell) => cell.levels);
  const secure = factors.filter((factor) => factor.group === 'security').map((factor) => factor.id);
  const distinct = (ids: readonly string[]) =>
    new Set(possible.map((levels) => JSON.stringify(ids.map((id) => levels[id] ?? null)))).size;
  const all = [
    { label: 'Security', count: distinct(secure) },
    ...factors
      .filter((factor) => factor.group !== 'security')
      .map((factor) => ({ label: factor.label, count: distinct([factor.id]) })),
  ];
  const product = all.reduce((total, { count }) => total * count, 1);
  return product === treatments ? all.filter(({ count }) => count > 1) : [];
}
