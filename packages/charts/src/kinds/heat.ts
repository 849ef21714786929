import { formatNumber } from '@mqttlab/shared/format/number';
import { cropAxis, niceAxis, rowAxis } from '../drawing/axis.ts';
import type { Figure } from '../drawing/figure.ts';
import { bar, clipped, label } from '../drawing/marks.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import type { SvgNode } from '../drawing/svg.ts';
import { textWidth, widest } from '../drawing/text-width.ts';
import { columnsOf, type DocumentTable } from '../table.ts';
import type { SeriesPoint } from './time-series.ts';

/** Values over time. Each value applies to the interval that ends at its time. */
export interface HeatRow {
  name: string;
  points: readonly SeriesPoint[];
}

export interface HeatData {
  label: string;
  unit: string;
  treatmentIndex: number;
  rows: readonly HeatRow[];
  /** Value with the full colour; the scale starts at 0. */
  top: number;
  /** Time range in s, as in the chart above. */
  xRange: readonly [number, number];
  /** Space on the left, as wide as in the chart above. */
  leftPx?: number;
  rightPx?: number;
}

const rowPx = 16;
const axisPx = 22;
const keyPx = 22;
/** Minimum opacity, so that an idle core is visible. */
const faintest = 0.05;
const keySteps = 5;

/** Describes one row per core with one cell per sample. Stronger colours mean higher use. */
export function describeHeat(palette: Palette, data: HeatData): Figure {
  const { label: name, unit, treatmentIndex, rows, top, xRange, leftPx = 0, rightPx = 8 } = data;
  const [min, max] = xRange;
  const cells = heatCells(rows);
  const fill = colourOf(palette, treatmentIndex);
  const opacityOf = (share: number) => Math.min(1, faintest + (1 - faintest) * Math.max(0, share));
  return {
    label: name,
    heightPx: keyPx + rows.length * rowPx + axisPx,
    margins: {
      top: keyPx,
      right: rightPx,
      bottom: axisPx,
      left: Math.max(leftPx, widest(rows.map((row) => textWidth(row.name))) + 8),
    },
    x: cropAxis(niceAxis({ min, max, steps: 6 }), { min, max }),
    y: rowAxis(rows.length),
    ground: { xUnit: 's' },
    hover: { axis: 'xy', px: 8 },
    tips: cells.map(({ row, from, to, value }) => {
      const span = `${formatNumber(from)} to ${formatNumber(to)} s`;
      const tip = [rows[row]?.name ?? '', `${formatNumber(value)} ${unit}, ${span}`];
      return { x: (from + to) / 2, y: row, tip };
    }),
    above: ({ x, y, area }): SvgNode[] => {
      const names = rows.map((row, i) =>
        label(row.name, { x: area.left - 8, y: y(i), anchor: 'end', fill: palette.text2 }),
      );
      const drawn = cells.map((cell) => {
        const start = Math.round(x(cell.from));
        const right = Math.max(start + 1, Math.round(x(cell.to)));
        const middle = y(cell.row);
        return bar(
          { left: start, right, top: middle - rowPx / 2 + 1, bottom: middle + rowPx / 2 - 1 },
          { fill, fillOpacity: opacityOf(cell.value / top) },
        );
      });
      const end = `${formatNumber(top)} ${unit}`;
      const keyX = area.right - textWidth(end) - 6 - keySteps * 12;
      const swatches = Array.from({ length: keySteps }, (_, i) =>
        bar(
          { left: keyX + i * 12, right: keyX + (i + 1) * 12, top: 3, bottom: 13 },
          { fill, fillOpacity: opacityOf(i / (keySteps - 1)) },
        ),
      );
      return [
        ...names,
        clipped(area, drawn),
        label('0', { x: keyX - 6, y: 8, anchor: 'end', fill: palette.text3 }),
        ...swatches,
        label(end, { x: area.right, y: 8, anchor: 'end', fill: palette.text3 }),
      ];
    },
  };
}

interface HeatCell {
  row: number;
  from: number;
  to: number;
  value: number;
}

/**
 * Maximum number of columns. If there are more, they are merged into means, so that cells are at least one or
 * two pixels wide.
 */
const maxColumns = 240;

/** Returns the cells of every row. The first interval is assumed to be as long as the second. */
export function heatCells(rows: readonly HeatRow[]): HeatCell[] {
  return rows.flatMap(({ points }, row) => {
    const size = Math.max(1, Math.ceil(points.length / maxColumns));
    const step = (points[1]?.t ?? 1) - (points[0]?.t ?? 0);
    return Array.from({ length: Math.ceil(points.length / size) }, (_, i): HeatCell => {
      const part = points.slice(i * size, (i + 1) * size);
      const before = points[i * size - 1];
      const from = before ? before.t : (part[0]?.t ?? 0) - step;
      const value = part.reduce((sum, { v }) => sum + v, 0) / Math.max(1, part.length);
      return { row, from, to: part.at(-1)?.t ?? from, value };
    });
  });
}

export function heatTable(
  rows: readonly HeatRow[],
  { head, unit }: { head: string; unit: string },
): DocumentTable {
  return {
    columns: columnsOf(head, ['Time', 's'], ['Value', unit]),
    rows: rows.flatMap(({ name, points }) => points.map(({ t, v }) => [name, t, v])),
  };
}
