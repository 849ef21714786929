import { factors } from '../catalogue/factors.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { Levels } from '../domain/factor.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import type { Treatment } from '../domain/plans/plan.ts';
import { neutralSpec, type TrialSpec } from '../domain/plans/trial-spec.ts';
import type { Cell } from './expand-treatments.ts';
import { nameTreatments } from './name-treatments.ts';

/** Makes names, marks and specifications for the possible cells of a draft. */
export function makeTreatments(
  cells: readonly Cell[],
  draft: ExperimentDraft,
  testbed?: TestbedView,
): Treatment[] {
  const names = nameTreatments(
    cells.map(({ levels }) => levels),
    testbed,
  );
  return cells.flatMap(({ key, levels }, index) => {
    const named = names[index];
    return named ? [{ key, levels, ...named, spec: makeSpec(levels, draft) }] : [];
  });
}

function makeSpec(levels: Levels, draft: ExperimentDraft): TrialSpec {
  const { kind, ...workload } = draft.workload;
  const start: TrialSpec = { ...neutralSpec, ...workload, workload: kind, sampleHz: draft.sampleHz };
  return factors.reduce((spec, factor) => factor.apply(spec, levels[factor.id] ?? null), start);
}
