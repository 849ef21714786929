import { estimateTreatments } from '@mqttlab/shared/analysis/contrasts';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import {
  type Cell,
  type Column,
  type DocumentTable,
  makeTable,
  type TableColumn,
} from '@mqttlab/shared/figures/document/blocks';
import { intervalText } from '@mqttlab/shared/figures/document/words';

/** Treatments with their runs, and whether those with a failed verdict are included. */
interface Runs {
  treatments: readonly ComparedTreatment[];
  flagged: boolean;
}

export interface Measured {
  value: number;
  lo: number | null;
  hi: number | null;
  runs: number;
}

/** What the runs say of it, with its 95 % interval; null where no valid run carries it. */
export function measured(
  { flagged }: Pick<Runs, 'flagged'>,
  treatment: ComparedTreatment | undefined,
  metric: string,
): Measured | null {
  const definition = findMetric(metric);
  if (!definition || !treatment) return null;
  const [found] = estimateTreatments([treatment], { metric: definition, flagged });
  if (!found || found.estimate.value === null) return null;
  const { value, lo, hi, n } = found.estimate;
  return { value, lo, hi, runs: n };
}

/** The mean alone. */
export function meanOf(
  input: Pick<Runs, 'flagged'>,
  treatment: ComparedTreatment | undefined,
  metric: string,
): number | null {
  return measured(input, treatment, metric)?.value ?? null;
}

export function scaled(found: Measured | null, scale: number): Measured | null {
  if (!found) return null;
  const times = (bound: number | null) => (bound === null ? null : bound * scale);
  return { ...found, value: found.value * scale, lo: times(found.lo), hi: times(found.hi) };
}

/** "18.4 [17.9, 18.8]" without its unit, which stands in the head; a number alone where there is no spread to show. */
export function measuredCell(entry: Measured | null): Cell {
  return entry === null || entry.lo === entry.hi ? (entry?.value ?? null) : intervalText(entry);
}

/** A metric as a column of a table. */
export interface Quantity extends TableColumn {
  metric: string;
  scale?: number;
}

interface OfTreatment {
  one: ComparedTreatment | undefined;
}

/** A column for each quantity, with its interval. */
export function measuredColumns(input: Runs, quantities: readonly Quantity[]): Column<OfTreatment>[] {
  return quantities.map(({ metric, scale = 1, ...column }) => ({
    ...column,
    of: ({ one }) => measuredCell(scaled(measured(input, one, metric), scale)),
  }));
}

export type NameOf = (one: ComparedTreatment) => string;

/** Every treatment with these quantities. */
export function measuredTable(
  input: Runs,
  {
    head = 'Configuration',
    nameOf,
    quantities,
  }: { head?: string; nameOf: NameOf; quantities: readonly Quantity[] },
): DocumentTable {
  return makeTable(
    input.treatments.map((one) => ({ one })),
    [{ head, of: ({ one }) => nameOf(one) }, ...measuredColumns(input, quantities)],
  );
}

/** One treatment for each combination of these levels, the first met. */
export function distinctBy(
  treatments: readonly ComparedTreatment[],
  factors: readonly string[],
): ComparedTreatment[] {
  const keyOf = ({ treatment }: ComparedTreatment) =>
    factors.map((id) => treatment.levels[id] ?? '-').join('|');
  return [...Map.groupBy(treatments, keyOf).values()].flatMap(([first]) => first ?? []);
}

/** Name made of these levels only. */
export function nameBy({ treatment }: ComparedTreatment, factors: readonly string[]): string {
  const words = factors.flatMap((id) => {
    const value = treatment.levels[id];
    return value === null || value === undefined ? [] : [findFactor(id)?.shortLabel(value) ?? String(value)];
  });
  return words.join(' · ') || treatment.shortLabel;
}

/**
 * Returns those of these factors that have at least two levels. A factor that does not apply to a treatment has no
 * level there: plain MQTT has no cipher suite, and a single suite beside it is not varied.
 */
export function variedAmong(treatments: readonly ComparedTreatment[], factors: readonly string[]): string[] {
  return factors.filter(
    (id) => new Set(treatments.flatMap(({ treatment }) => treatment.levels[id] ?? [])).size > 1,
  );
}

/** Returns true if both have the same level of each factor that applies to both. */
export function agreeOn(a: ComparedTreatment, b: ComparedTreatment, factors: readonly string[]): boolean {
  return factors.every((id) => {
    const [of, other] = [a.treatment.levels[id] ?? null, b.treatment.levels[id] ?? null];
    return of === null || other === null || of === other;
  });
}

/** Names treatments by those of the factors that vary; where none does, by `otherwise`. */
export function namerOf(
  { treatments }: Runs,
  factors: readonly string[],
  otherwise: readonly string[],
): NameOf {
  const varied = variedAmong(treatments, factors);
  return (one) => nameBy(one, varied.length > 0 ? varied : otherwise);
}
