import type { Measure } from '@mqttlab/shared/analysis/claims/claim';
import { describeMeasure, valuesOf } from '@mqttlab/shared/analysis/claims/lines';
import { estimateTreatments } from '@mqttlab/shared/analysis/contrasts';
import { estimateValues } from '@mqttlab/shared/analysis/estimate';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { intervalText } from '../document/words.ts';
import type { Cell } from '../table.ts';

interface Runs {
  /** Includes runs with a failed verdict. */
  flagged: boolean;
}

export interface Measured {
  value: number;
  lo: number | null;
  hi: number | null;
  runs: number;
}

/**
 * Returns the estimate of a response over the runs of a treatment, with its 95 % interval; null if no valid
 * run has it.
 */
export function measured(
  { flagged }: Runs,
  one: ComparedTreatment | undefined,
  measure: Measure,
  scale = 1,
): Measured | null {
  if (!one) return null;
  const { value, lo, hi, n } = estimateOf(one, measure, flagged);
  if (value === null) return null;
  const times = (bound: number | null) => (bound === null ? null : bound * scale);
  return { value: value * scale, lo: times(lo), hi: times(hi), runs: n };
}

function estimateOf(one: ComparedTreatment, measure: Measure, flagged: boolean) {
  const metric = typeof measure === 'string' ? findMetric(measure) : undefined;
  const [found] = metric ? estimateTreatments([one], { metric, flagged }) : [];
  if (found) return found.estimate;
  const { kind, unit } = describeMeasure(measure);
  return estimateValues(
    valuesOf(one, measure, flagged).map(({ value }) => value),
    { quantity: kind, unit },
    one.level,
  );
}

export function meanOf(input: Runs, one: ComparedTreatment | undefined, measure: Measure): number | null {
  return measured(input, one, measure)?.value ?? null;
}

/**
 * Returns "18.4 [17.9, 18.8]" without the unit, which is in the header. Returns only the number if nothing
 * varies.
 */
export function measuredCell(entry: Measured | null): Cell {
  return entry === null || entry.lo === entry.hi ? (entry?.value ?? null) : intervalText(entry);
}

/** Returns the first treatment for each combination of these levels. */
export function distinctBy(
  treatments: readonly ComparedTreatment[],
  factors: readonly string[],
): ComparedTreatment[] {
  const keyOf = ({ treatment }: ComparedTreatment) =>
    factors.map((id) => treatment.levels[id] ?? '-').join('|');
  return [...Map.groupBy(treatments, keyOf).values()].flatMap(([first]) => first ?? []);
}

/** Returns a name made of these levels only. */
export function nameBy({ treatment }: ComparedTreatment, factors: readonly string[]): string {
  const words = factors.flatMap((id) => {
    const value = treatment.levels[id];
    return value === null || value === undefined ? [] : [findFactor(id)?.shortLabel(value) ?? String(value)];
  });
  return words.join(' · ') || treatment.shortLabel;
}

/**
 * Returns the factors that have at least two levels. A factor that does not apply to a treatment has no level
 * in that treatment. Plain MQTT has no cipher suite, so a single suite next to plain MQTT is not varied.
 */
export function variedAmong(treatments: readonly ComparedTreatment[], factors: readonly string[]): string[] {
  return factors.filter(
    (id) => new Set(treatments.flatMap(({ treatment }) => treatment.levels[id] ?? [])).size > 1,
  );
}

/** Returns true if both treatments have the same level of each factor that applies to both. */
export function agreeOn(a: ComparedTreatment, b: ComparedTreatment, factors: readonly string[]): boolean {
  return factors.every((id) => {
    const [of, other] = [a.treatment.levels[id] ?? null, b.treatment.levels[id] ?? null];
    return of === null || other === null || of === other;
  });
}

export type NameOf = (one: ComparedTreatment) => string;

/** Names treatments by the levels of the varying factors, or of the first factor if none varies. */
export function namerOf(treatments: readonly ComparedTreatment[], factors: readonly string[]): NameOf {
  const varied = variedAmong(treatments, factors);
  return (one) => nameBy(one, varied.length > 0 ? varied : factors.slice(0, 1));
}
