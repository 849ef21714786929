import type { ComparedTreatment } from '../domain/comparison.ts';
import { standardisedDifference } from '../statistics/effect-size.ts';
import { type MeanInterval, meanInterval } from '../statistics/interval.ts';
import { adjustHolm } from '../statistics/multiple-testing.ts';
import { ratioInterval } from '../statistics/ratio.ts';
import { pairedTest, type TTest, welchTest } from '../statistics/t-test.ts';
import { differingBases, type RunValue, runValues, type ValueChoice } from './run-values.ts';

export interface TreatmentEstimate {
  treatment: ComparedTreatment;
  values: RunValue[];
  /** Mean over run values with its 95 % t interval: the run is the unit of inference. */
  interval: MeanInterval;
}

export interface Contrast {
  treatment: ComparedTreatment;
  baseline: ComparedTreatment;
  /** Treatment minus baseline, in the metric's unit; null where a mean is missing. */
  difference: number | null;
  lo: number | null;
  hi: number | null;
  /** Ratio of means with its interval; null unless both are positive. */
  ratio: { ratio: number; lo: number | null; hi: number | null } | null;
  hedgesG: number | null;
  /** After Holm over all contrasts of this call; null below three runs on a side. */
  p: number | null;
  /** How it was judged. */
  method: 'paired by repetition' | 'Welch' | 'no variance' | 'not enough runs' | 'not comparable';
  runs: number;
  /** What the two sides rest on, when that differs: then there is no difference to give. */
  bases: string[];
}

/** Fewest runs on each side before a p-value is shown. */
const fewestForP = 3;

export function estimateTreatments(
  treatments: readonly ComparedTreatment[],
  choice: ValueChoice,
): TreatmentEstimate[] {
  return treatments.map((treatment) => {
    const values = runValues(treatment, choice);
    // Figures of different bases have no mean.
    const alike = differingBases(values).length === 0 ? values : [];
    return { treatment, values, interval: meanInterval(alike.map((entry) => entry.value)) };
  });
}

/**
 * The Treatment each one is held against: same experiment and same other levels (`rowLabel`), with the colour
 * levels of the chosen baseline; the baseline itself where there is no such one. null for a baseline.
 */
export function baselineOf(
  treatment: ComparedTreatment,
  treatments: readonly ComparedTreatment[],
  baselineId: string,
): ComparedTreatment | null {
  const chosen = treatments.find((entry) => entry.id === baselineId) ?? treatments[0];
  if (!chosen) return null;
  const colour = chosen.treatment.colourLabel;
  if (treatment.treatment.colourLabel === colour && treatment.treatment.rowLabel !== '') return null;
  if (treatment.id === chosen.id) return null;
  const sameRow = treatments.filter(
    (entry) =>
      entry.treatment.colourLabel === colour && entry.treatment.rowLabel === treatment.treatment.rowLabel,
  );
  return sameRow.find((entry) => entry.experimentId === treatment.experimentId) ?? sameRow[0] ?? chosen;
}

export interface ContrastQuestion extends ValueChoice {
  treatments: readonly ComparedTreatment[];
  baselineId: string;
  /** These pairs instead: Treatment and what it is held against. */
  pairs?: readonly (readonly [ComparedTreatment, ComparedTreatment])[];
}

/** Every Treatment against its baseline, p-values adjusted by Holm over this family. */
export function contrastTreatments(question: ContrastQuestion): Contrast[] {
  const raw = pairsOf(question).map(([treatment, baseline]) => contrast(treatment, baseline, question));
  const tested = raw.filter((entry) => entry.p !== null);
  const adjusted = adjustHolm(tested.map((entry) => entry.p ?? 1));
  return raw.map((entry) => {
    const index = tested.indexOf(entry);
    return index === -1 ? entry : { ...entry, p: adjusted[index] ?? null };
  });
}

function pairsOf({
  treatments,
  baselineId,
  pairs,
}: ContrastQuestion): NonNullable<ContrastQuestion['pairs']> {
  if (pairs) return pairs;
  return treatments.flatMap((treatment) => {
    const baseline = baselineOf(treatment, treatments, baselineId);
    return baseline ? [[treatment, baseline] as const] : [];
  });
}

function contrast(treatment: ComparedTreatment, baseline: ComparedTreatment, choice: ValueChoice): Contrast {
  const a = runValues(treatment, choice);
  const b = runValues(baseline, choice);
  const bases = differingBases([...a, ...b]);
  if (bases.length > 0) return { ...incomparable, treatment, baseline, bases };
  const left = a.map((entry) => entry.value);
  const right = b.map((entry) => entry.value);
  const paired = isPaired(treatment, baseline, { a, b });
  const test: TTest | null = paired ? pairedTest(left, right) : welchTest(left, right);
  const means = [meanInterval(left).mean, meanInterval(right).mean] as const;
  const difference = means[0] === null || means[1] === null ? null : means[0] - means[1];
  const ratio = ratioInterval(left, right);
  const runs = Math.min(left.length, right.length);
  return {
    treatment,
    baseline,
    difference,
    lo: test?.lo ?? null,
    hi: test?.hi ?? null,
    ratio: ratio ?? plainRatio(means),
    hedgesG: standardisedDifference(left, right).hedgesG,
    p: test && runs >= fewestForP ? test.p : null,
    method: methodOf(test, { paired, runs }),
    runs,
    bases,
  };
}

const incomparable = {
  ...{ difference: null, lo: null, hi: null, ratio: null, hedgesG: null, p: null },
  runs: 0,
  method: 'not comparable',
} as const;

function methodOf(
  test: TTest | null,
  { paired, runs }: { paired: boolean; runs: number },
): Contrast['method'] {
  if (test) return paired ? 'paired by repetition' : 'Welch';
  return runs >= 2 ? 'no variance' : 'not enough runs';
}

function plainRatio([top, bottom]: readonly [number | null, number | null]): Contrast['ratio'] {
  if (top === null || bottom === null || !(top > 0 && bottom > 0)) return null;
  return { ratio: top / bottom, lo: null, hi: null };
}

/** Runs of one experiment in the same randomised blocks are compared block by block. */
function isPaired(
  treatment: ComparedTreatment,
  baseline: ComparedTreatment,
  { a, b }: { a: readonly RunValue[]; b: readonly RunValue[] },
): boolean {
  return (
    treatment.experimentId === baseline.experimentId &&
    a.length === b.length &&
    a.every((entry, index) => entry.block === b[index]?.block)
  );
}
