import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Headline } from '@mqttlab/shared/domain/experiment';
import type { Plan } from '@mqttlab/shared/domain/plan';
import { mean } from '@mqttlab/shared/statistics/summary';
import { pairedTest, welchTest } from '@mqttlab/shared/statistics/t-test';
import type { MetricValue } from '../store/metric-values.ts';

/** Values of one colour, by block and row label. */
type Cells = Map<number, Map<string, number>>;

interface Contrast {
  difference: number;
  lo: number | null;
  hi: number | null;
}

/**
 * The last colour of a plan against its baseline on the response. Like is compared with like: differences are taken
 * inside a block and a row (the levels that took no colour), averaged over rows, and the t interval is over blocks.
 * Without two complete blocks it is Welch's over single runs. Pure; null until both have a valid run.
 */
export function makeHeadline(plan: Plan, values: readonly MetricValue[]): Headline | null {
  const baseline = plan.treatments.find(({ key }) => key === plan.baselineKey);
  const last = plan.treatments.findLast(({ colourLabel }) => colourLabel !== baseline?.colourLabel);
  const metric = findMetric(plan.response);
  if (!baseline || !last || !metric) return null;
  // Figures of different bases have no common headline.
  if (new Set(values.map(({ bases }) => bases[metric.group])).size > 1) return null;
  const contrast = contrastOf(
    cellsOf(plan, values, last.colourLabel),
    cellsOf(plan, values, baseline.colourLabel),
  );
  if (!contrast) return null;
  return {
    metric: metric.id,
    unit: metric.unit,
    contrast: `${last.colourLabel} against ${baseline.colourLabel}`,
    ...contrast,
    points: plan.treatments.flatMap(({ key, mark }) => {
      const value = mean(values.filter((run) => run.treatmentKey === key).map((run) => run.value));
      return value === null ? [] : [{ mark, value }];
    }),
  };
}

function cellsOf(plan: Plan, values: readonly MetricValue[], colourLabel: string): Cells {
  const rows = new Map(
    plan.treatments
      .filter((treatment) => treatment.colourLabel === colourLabel)
      .map(({ key, rowLabel }) => [key, rowLabel]),
  );
  const cells: Cells = new Map();
  for (const { treatmentKey, block, value } of values) {
    const row = rows.get(treatmentKey);
    if (row === undefined) continue;
    const inBlock = cells.get(block) ?? new Map<string, number>();
    cells.set(block, inBlock.set(row, value));
  }
  return cells;
}

function contrastOf(upper: Cells, lower: Cells): Contrast | null {
  const rows = [...rowsOf(upper)].filter((row) => rowsOf(lower).has(row));
  const complete = [...upper.keys()].filter((block) =>
    rows.every((row) => upper.get(block)?.has(row) && lower.get(block)?.has(row)),
  );
  if (rows.length > 0 && complete.length >= 2) {
    const inBlocks = (cells: Cells) =>
      complete.map(
        (block) => mean(rows.map((row) => cells.get(block)?.get(row) ?? Number.NaN)) ?? Number.NaN,
      );
    const [above, below] = [inBlocks(upper), inBlocks(lower)];
    return withInterval(above, below, pairedTest(above, below));
  }
  const [above, below] = [valuesOf(upper, rows), valuesOf(lower, rows)];
  return withInterval(above, below, welchTest(above, below));
}

function rowsOf(cells: Cells): Set<string> {
  return new Set([...cells.values()].flatMap((inBlock) => [...inBlock.keys()]));
}

function valuesOf(cells: Cells, rows: readonly string[]): number[] {
  return [...cells.values()].flatMap((inBlock) => rows.flatMap((row) => inBlock.get(row) ?? []));
}

function withInterval(
  above: readonly number[],
  below: readonly number[],
  test: { lo: number; hi: number } | null,
): Contrast | null {
  const [high, low] = [mean(above), mean(below)];
  if (high === null || low === null) return null;
  return { difference: high - low, lo: test?.lo ?? null, hi: test?.hi ?? null };
}
