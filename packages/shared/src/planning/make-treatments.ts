import { factors, findFactor } from '../catalogue/factors.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { Levels } from '../domain/factor.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import type { Treatment } from '../domain/plans/plan.ts';
import { neutralSpec, type TrialSpec } from '../domain/plans/trial-spec.ts';
import type { Cell } from './expand-treatments.ts';

const marks = 8;

/** Names, marks and specifications for the possible cells of a draft. */
export function makeTreatments(
  cells: readonly Cell[],
  draft: ExperimentDraft,
  testbed?: TestbedView,
): Treatment[] {
  const wordsOf = (levels: Levels, ids: readonly string[], length: 'long' | 'short') =>
    nameLevels({ levels, ids, length, testbed });
  const varied = variedFactors(cells.map((cell) => cell.levels));
  const coloured = colourFactors(varied);
  const rows = varied.filter((id) => !coloured.includes(id));
  const colours = [...new Set(cells.map((cell) => wordsOf(cell.levels, coloured, 'short')))];
  return cells.map((cell) => {
    const colourLabel = wordsOf(cell.levels, coloured, 'short');
    return {
      key: cell.key,
      levels: cell.levels,
      label: wordsOf(cell.levels, varied, 'long'),
      shortLabel: wordsOf(cell.levels, varied, 'short'),
      mark: (colours.indexOf(colourLabel) % marks) + 1,
      colourLabel,
      rowLabel: rows.length > 0 ? wordsOf(cell.levels, rows, 'short') : '',
      spec: makeSpec(cell.levels, draft),
    };
  });
}

/** Factors with more than one level among these combinations; that one does not apply is no level. */
export function variedFactors(all: readonly Levels[]): string[] {
  return factors
    .map((factor) => factor.id)
    .filter((id) => new Set(all.flatMap((levels) => levels[id] ?? [])).size > 1);
}

/** Security takes the colour where it varies, else the first factor that does. */
function colourFactors(varied: readonly string[]): string[] {
  const secure = varied.filter((id) => findFactor(id)?.group === 'security');
  return secure.length > 0 ? secure : varied.slice(0, 1);
}

interface Naming {
  levels: Levels;
  ids: readonly string[];
  length: 'long' | 'short';
  testbed: TestbedView | undefined;
}

/** Joins the names of the levels; "Plain" stands alone, for nothing else of security applies to it. */
function nameLevels({ levels, ids, length, testbed }: Naming): string {
  const words = ids.flatMap((id) => {
    const factor = findFactor(id);
    const value = levels[id];
    if (!factor || value === null || value === undefined) return [];
    const longName = factor.nameInTreatment ?? factor.levelLabel;
    return [length === 'long' ? longName(value, testbed) : factor.shortLabel(value, testbed)];
  });
  if (words.length === 0) return ids.length === 0 ? 'All runs' : 'none';
  return words.join(length === 'long' ? ', ' : ' ');
}

function makeSpec(levels: Levels, draft: ExperimentDraft): TrialSpec {
  const { kind, ...workload } = draft.workload;
  const start: TrialSpec = { ...neutralSpec, ...workload, workload: kind, sampleHz: draft.sampleHz };
  return factors.reduce((spec, factor) => factor.apply(spec, levels[factor.id] ?? null), start);
}
