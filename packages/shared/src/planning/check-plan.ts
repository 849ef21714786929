import { findFactor } from '../catalogue/factors.ts';
import { type TestbedView, withBroker, withChosenBrokers } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, LevelOption, Levels, Refusal } from '../domain/factor.ts';
import type { Issue } from '../domain/issue.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import type { Plan } from '../domain/plans/plan.ts';
import { limits } from './check-draft.ts';

const remedy = 'Use the plan exactly as the server exported it.';

/**
 * Checks the content of an imported plan that matches the schema. Factors from later versions are accepted.
 */
export function checkPlan(plan: Plan): Issue[] {
  const keys = new Set(plan.treatments.map(({ key }) => key));
  const numbers = new Set(plan.trials.map(({ number }) => number));
  return [
    ...[...plan.treatments.entries()].flatMap(([i, { levels }]) => checkLevels(levels, `treatments[${i}]`)),
    ...[...plan.excluded.entries()].flatMap(([i, { levels }]) => checkLevels(levels, `excluded[${i}]`)),
    ...say(plan.treatments.length > limits.combinations, 'treatments', 'has too many entries'),
    ...say(plan.trials.length > limits.runs, 'trials', 'has too many entries'),
    ...say(keys.size < plan.treatments.length, 'treatments', 'has duplicate keys'),
    ...say(numbers.size < plan.trials.length, 'trials', 'has duplicate numbers'),
    ...say(plan.repetitions > limits.repetitions, 'repetitions', `is more than ${limits.repetitions}`),
    ...say(!keys.has(plan.baselineKey), 'baselineKey', 'is not a treatment of this plan'),
    ...[...plan.trials.entries()].flatMap(([i, { treatmentKey }]) =>
      say(!keys.has(treatmentKey), `trials[${i}].treatmentKey`, 'is not a treatment of this plan'),
    ),
  ];
}

function checkLevels(levels: Levels, where: string): Issue[] {
  return Object.entries(levels).flatMap(([id, level]) => {
    const factor = findFactor(id);
    if (!factor || level === null || factor.schema.safeParse(level).success) return [];
    const shown = JSON.stringify(level).slice(0, 60);
    return say(true, `${where}.levels.${id}`, `${shown} is not a level of ${factor.label}`);
  });
}

function say(isWrong: boolean, field: string, reason: string): Issue[] {
  return isWrong ? [{ field, reason, remedy }] : [];
}

type Draft = Pick<ExperimentDraft, 'factors'>;

/** Returns the suggested levels for a draft; a level is refused only if none of the varied brokers supports it. */
export function optionsOf(factor: FactorDefinition, draft: Draft, testbed: TestbedView): LevelOption[] {
  const merged = new Map<FactorValue, LevelOption>();
  for (const view of viewsOf(draft, testbed)) {
    for (const option of factor.options(view)) {
      const known = merged.get(option.value);
      if (known === undefined) merged.set(option.value, option);
      else if (option.refusal === null) merged.set(option.value, { ...known, refusal: null });
    }
  }
  return [...merged.values()];
}

/** Like `optionsOf`, for a single level that does not have to be among the options. */
export function refusalOf(
  { factor, value }: { factor: FactorDefinition; value: FactorValue },
  draft: Draft,
  testbed: TestbedView,
): Refusal | null {
  const refusals = viewsOf(draft, testbed).map((view) => factor.refuse(value, {}, view));
  return refusals.includes(null) ? null : (refusals[0] ?? null);
}

/** Returns one view of the testbed for each broker in the draft. */
function viewsOf(draft: Draft, testbed: TestbedView): TestbedView[] {
  const chosen = withChosenBrokers(testbed, draft.factors.broker);
  if (chosen.chosenBrokers.length === 0) return [chosen];
  return chosen.chosenBrokers.map(({ kind }) => withBroker(chosen, kind));
}
