import { factors } from '../catalogue/factors.ts';
import { type TestbedView, withBroker, withChosenBrokers } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, Levels, Refusal } from '../domain/factor.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import { brokerKinds, type WorkloadKind } from '../domain/plans/trial-spec.ts';

export interface CellRefusal extends Refusal {
  factor: string;
}

/** One combination of chosen levels. Impossible ones stay, with every reason. */
export interface Cell {
  key: string;
  levels: Levels;
  refusals: CellRefusal[];
}

/** The levels a draft asks for, factor by factor; one default level where it is silent. */
export function chosenLevels(
  draft: Pick<ExperimentDraft, 'factors'>,
  factor: FactorDefinition,
  testbed: TestbedView,
): FactorValue[] {
  const chosen = draft.factors[factor.id];
  if (chosen && chosen.length > 0) return [...new Set(chosen)];
  return [factor.defaultLevel(withChosenBrokers(testbed, draft.factors.broker))];
}

/** How many combinations there are before those that do not differ are counted once. */
export function countCombinations(draft: Pick<ExperimentDraft, 'factors'>, testbed: TestbedView): number {
  return factors.reduce((product, factor) => product * chosenLevels(draft, factor, testbed).length, 1);
}

export function treatmentKey(levels: Levels): string {
  return factors.map((factor) => `${factor.id}=${levels[factor.id] ?? '-'}`).join(';');
}

/**
 * Every combination of the chosen levels, in catalogue order, each once. A level that does not apply (a suite
 * without TLS) becomes null, so that combinations which differ only in it are one.
 */
export function expandTreatments(
  draft: Pick<ExperimentDraft, 'factors' | 'workload' | 'leaveOut'>,
  testbed: TestbedView,
): Cell[] {
  let combinations: Levels[] = [{}];
  for (const factor of factors) {
    const chosen = chosenLevels(draft, factor, testbed);
    combinations = combinations.flatMap((levels) => {
      const fitting = factor.applies(levels, draft.workload.kind)
        ? chosen.filter((value) => factor.fits?.(value, levels) ?? true)
        : [];
      const values = fitting.length > 0 ? fitting : [null];
      return values.map((value) => ({ ...levels, [factor.id]: value }));
    });
  }
  const cells = new Map<string, Cell>();
  for (const levels of combinations) {
    const key = treatmentKey(levels);
    if (!cells.has(key)) {
      const refusals = refusalsOf({ levels, workload: draft.workload.kind }, testbed);
      cells.set(key, { key, levels, refusals: [...refusals, ...unwanted(levels, draft.leaveOut ?? [])] });
    }
  }
  return [...cells.values()];
}

function unwanted(levels: Levels, leaveOut: NonNullable<ExperimentDraft['leaveOut']>): CellRefusal[] {
  const found = leaveOut.find((combination) =>
    Object.entries(combination).every(([id, values]) => values.some((value) => value === levels[id])),
  );
  const factor = found && Object.keys(found)[0];
  if (!factor) return [];
  return [{ factor, reason: 'the plan leaves this combination out', remedy: 'Remove it from “leaveOut”.' }];
}

/** Checked against the broker of the combination, where the testbed has several. */
function refusalsOf(
  { levels, workload }: { levels: Levels; workload: WorkloadKind },
  unchosen: TestbedView,
): CellRefusal[] {
  const kind = brokerKinds.find((known) => known === levels.broker);
  const testbed = kind === undefined ? unchosen : withBroker(unchosen, kind);
  return factors.flatMap((factor) => {
    const value = levels[factor.id];
    if (value === null || value === undefined) return [];
    const refusal = factor.refuse(value, levels, testbed) ?? factor.refuseWorkload?.(value, workload) ?? null;
    return refusal ? [{ factor: factor.id, ...refusal }] : [];
  });
}
