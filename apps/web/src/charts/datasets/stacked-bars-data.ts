import { type Axis, tightAxis } from '@mqttlab/charts/drawing/axis';
import { columnsOf } from '@mqttlab/charts/table';
import type { ChartTable } from './chart-table.ts';

/** One bar, its parts in the order of the key. */
export type StackedBar = { name: string; parts: readonly number[] };

export type StackedBars = { parts: readonly string[]; bars: readonly StackedBar[] };

export function totalOf({ parts }: StackedBar): number {
  return parts.reduce((sum, part) => sum + part, 0);
}

export function stackedAxis({ bars }: StackedBars): Axis {
  return tightAxis({ min: 0, max: Math.max(1, ...bars.map(totalOf)) * 1.02, steps: 5 });
}

export function stackedTable(
  { parts, bars }: StackedBars,
  { head, unit }: { head: string; unit: string },
): ChartTable {
  return {
    columns: columnsOf(head, ...parts.map((part) => [part, unit] as const), ['Sum', unit]),
    rows: bars.map((bar) => [bar.name, ...bar.parts, totalOf(bar)]),
  };
}
