import { type TestbedView, withBroker, withChosenBrokers } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, LevelOption, Refusal } from '../domain/factor.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';

type Draft = Pick<ExperimentDraft, 'factors'>;

/** Levels worth showing for this draft; one is refused only where none of the brokers it varies can do it. */
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

/** As `optionsOf`, for one level that need not be among them. */
export function refusalOf(
  { factor, value }: { factor: FactorDefinition; value: FactorValue },
  draft: Draft,
  testbed: TestbedView,
): Refusal | null {
  const refusals = viewsOf(draft, testbed).map((view) => factor.refuse(value, {}, view));
  return refusals.includes(null) ? null : (refusals[0] ?? null);
}

/** The testbed as each of the brokers makes it that this draft varies. */
function viewsOf(draft: Draft, testbed: TestbedView): TestbedView[] {
  const chosen = withChosenBrokers(testbed, draft.factors.broker);
  if (chosen.chosenBrokers.length === 0) return [chosen];
  return chosen.chosenBrokers.map(({ kind }) => withBroker(chosen, kind));
}
