import { estimateTreatments } from '../../analysis/contrasts.ts';
import { findFactor } from '../../catalogue/factors.ts';
import { findMetric } from '../../catalogue/metrics.ts';
import type { Study, StudyOrigin } from '../../catalogue/studies/study.ts';
import type { Report, StudyFacts } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { Cell, DocumentBuilder } from '../document/blocks.ts';
import { intervalText } from '../document/words.ts';
import type { Palette } from '../drawing/palette.ts';

/** What a result page is drawn from: the runs of one experiment, and nothing else. */
export interface StudyInput {
  study: Study;
  origin: StudyOrigin;
  treatments: readonly ComparedTreatment[];
  /** Takes runs with a failed verdict in. */
  flagged: boolean;
  facts: StudyFacts;
  /** Of the same runs; null while it is not there, for sections that need no series. */
  report: Report | null;
  palette: Palette;
}

/** Draws one part of a study. */
export type StudySection = (input: StudyInput, builder: DocumentBuilder) => void;

export interface Measured {
  value: number;
  lo: number | null;
  hi: number | null;
  runs: number;
}

/** What the runs say of it, with its 95 % interval; null where no valid run carries it. */
export function measured(
  { flagged }: Pick<StudyInput, 'flagged'>,
  treatment: ComparedTreatment,
  metric: string,
): Measured | null {
  const definition = findMetric(metric);
  const [found] = definition ? estimateTreatments([treatment], { metric: definition, flagged }) : [];
  if (!found || found.estimate.value === null) return null;
  const { value, lo, hi, n } = found.estimate;
  return { value, lo, hi, runs: n };
}

/** "18.4 [17.9, 18.8]" without its unit, which stands in the head; a number alone where there is no spread to show. */
export function measuredCell(entry: Measured | null, scale = 1): Cell {
  if (entry === null || entry.lo === entry.hi) return entry && entry.value * scale;
  return intervalText(entry, { scale });
}

/** One treatment for each combination of these levels, the first met. */
export function distinctBy(
  treatments: readonly ComparedTreatment[],
  factors: readonly string[],
): ComparedTreatment[] {
  const seen = new Map<string, ComparedTreatment>();
  for (const one of treatments) {
    const key = factors.map((id) => one.treatment.levels[id] ?? '-').join('|');
    if (!seen.has(key)) seen.set(key, one);
  }
  return [...seen.values()];
}

/** Name made of these levels only. */
export function nameBy({ treatment }: ComparedTreatment, factors: readonly string[]): string {
  const words = factors.flatMap((id) => {
    const value = treatment.levels[id];
    return value === null || value === undefined ? [] : [findFactor(id)?.shortLabel(value) ?? String(value)];
  });
  return words.join(' ') || treatment.shortLabel;
}

/** Levels that at least two treatments differ in, among these. */
export function variedAmong(treatments: readonly ComparedTreatment[], factors: readonly string[]): string[] {
  return factors.filter(
    (id) => new Set(treatments.map(({ treatment }) => treatment.levels[id] ?? null)).size > 1,
  );
}
