import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { Plan, Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { TrialRow } from '../../charts/datasets/progress-grid-data.ts';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import type { TrialAttempts } from './trial-attempts.ts';
import { type CellContext, makeTrialCell } from './trial-cell.ts';

export interface TrialGrid {
  treatmentHead: string;
  levelHeads: string[];
  rows: TrialRow[];
}

/** Plan and Runs as treatments x repetitions; treatments of one colour stand together, in the order of the plan. */
export function makeTrialGrid(plan: Plan, attempts: TrialAttempts, context: CellContext): TrialGrid {
  const { coloured, others } = splitFactors(plan.varied);
  const trials = Map.groupBy(plan.trials, (trial) => trial.treatmentKey);
  const byColour = Map.groupBy(plan.treatments, (treatment) => treatment.colourLabel);
  const columns = others.map((id) => levelColumn(id, plan.treatments));
  return {
    treatmentHead: labelOf(coloured.at(-1)) ?? 'Treatment',
    levelHeads: columns.map((column) => column.head),
    rows: [...byColour.values()]
      .flat()
      .map((treatment) => ({
        key: treatment.key,
        treatment: colourIdentity(treatment, coloured),
        levels: columns.map((column) => column.textOf(treatment)),
        cells: [...(trials.get(treatment.key) ?? [])]
          .sort((a, b) => a.block - b.block)
          .map((trial) => makeTrialCell(trial, attempts.get(trial.number) ?? [], context)),
      })),
  };
}

/** Security takes the colour where it varies, else the first factor that does (planning/make-treatments). */
function splitFactors(varied: readonly string[]): { coloured: string[]; others: string[] } {
  const secure = varied.filter((id) => findFactor(id)?.group === 'security');
  const coloured = secure.length > 0 ? secure : varied.slice(0, 1);
  return { coloured, others: varied.filter((id) => !coloured.includes(id)) };
}

/** A treatment as bars call it: the telling level alone where it names one colour only. */
export function barIdentity(
  treatment: Treatment,
  plan: Pick<Plan, 'varied' | 'treatments'>,
): TreatmentIdentity {
  const { coloured } = splitFactors(plan.varied);
  const { shortLabel } = colourIdentity(treatment, coloured);
  const isShared = plan.treatments.some(
    (other) =>
      other.colourLabel !== treatment.colourLabel &&
      colourIdentity(other, coloured).shortLabel === shortLabel,
  );
  return {
    index: treatment.mark,
    label: treatment.label,
    shortLabel: isShared ? treatment.colourLabel : shortLabel,
  };
}

/** The most telling level is the name ("AES-256-GCM"), those before it the second line ("TLS 1.3"). */
function colourIdentity(treatment: Treatment, coloured: readonly string[]): TreatmentIdentity {
  const words = coloured.flatMap((id) => shortLevel(id, treatment) ?? []);
  const name = words.at(-1) ?? treatment.colourLabel;
  const detail = words.slice(0, -1).join(', ');
  return {
    index: treatment.mark,
    label: treatment.colourLabel,
    shortLabel: name,
    ...(detail === '' ? {} : { detail }),
  };
}

function shortLevel(id: string, treatment: Treatment): string | undefined {
  const value = treatment.levels[id];
  return value === null || value === undefined ? undefined : findFactor(id)?.shortLabel(value);
}

function labelOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : (findFactor(id)?.label ?? id);
}

/** "batch 1", "batch 16" become the head "Batch" over "1" and "16"; other levels keep their words. */
function levelColumn(
  id: string,
  treatments: readonly Treatment[],
): { head: string; textOf: (treatment: Treatment) => string } {
  const texts = treatments.map((treatment) => shortLevel(id, treatment) ?? '–');
  const words = new Set(texts.map((text) => /^(\S+) \S+$/.exec(text)?.[1] ?? ''));
  const [word] = words;
  const textOf = (treatment: Treatment) => shortLevel(id, treatment) ?? '–';
  if (words.size !== 1 || !word) return { head: labelOf(id) ?? id, textOf };
  return {
    head: word.charAt(0).toUpperCase() + word.slice(1),
    textOf: (treatment) => textOf(treatment).slice(word.length + 1),
  };
}
