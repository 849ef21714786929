import { columnsOf } from '@mqttlab/charts/table';
import { formatP } from '@mqttlab/shared/format/quantity';
import type { BarDatum } from './bar-interval-data.ts';
import type { ChartTable } from './chart-table.ts';
import type { EffectDatum, EffectKind } from './effect-data.ts';

/** A treatment: its runs, its mean and how that stands to its baseline. */
export type EstimateRow = {
  bar: BarDatum;
  /** True for each run that is flagged for the metric. */
  runs: readonly boolean[];
  /** null where there is no interval, and for a baseline. */
  effect: EffectDatum | null;
  /** "higher", "no clear difference", "baseline". */
  outcome: string;
  /** May be read as a difference; hollow otherwise. */
  isClear: boolean;
};

export type EstimateGroup = { title: string; rows: readonly EstimateRow[] };

/** "3 valid", "2 of 3 flagged". */
export function runsText(runs: readonly boolean[]): string {
  const flagged = runs.filter(Boolean).length;
  return flagged === 0 ? `${runs.length} valid` : `${flagged} of ${runs.length} flagged`;
}

export type EstimateTableRequest = { kind: EffectKind; unit: string; groups: readonly EstimateGroup[] };

export function estimateTable({ kind, unit, groups }: EstimateTableRequest): ChartTable {
  const effectUnit = kind === 'difference' ? { unit } : {};
  return {
    columns: columnsOf(
      'Group',
      'Treatment',
      'Runs',
      ['Mean', unit],
      ['95 % CI from', unit],
      ['95 % CI to', unit],
      { head: kind === 'ratio' ? 'Ratio to baseline' : 'Difference to baseline', ...effectUnit },
      { head: '95 % CI of it from', ...effectUnit },
      { head: '95 % CI of it to', ...effectUnit },
      'Hedges g',
      { head: 'p (Holm)', format: formatP },
      'Against the baseline',
    ),
    rows: groups.flatMap(({ title, rows }) =>
      rows.map(({ bar, runs, effect, outcome }) => [
        title,
        bar.treatment.label,
        runsText(runs),
        ...(bar.isPreview ? [null, null, null] : [bar.value, bar.lo ?? null, bar.hi ?? null]),
        ...[effect?.value, effect?.lo, effect?.hi, effect?.g, effect?.p].map((value) => value ?? null),
        outcome,
      ]),
    ),
  };
}
