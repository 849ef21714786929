import { formatNumber, plural } from '@mqttlab/shared/format/number';
import { type Axis, canBeLog, logAxis, niceAxis, rowAxis, tightAxis } from '../drawing/axis.ts';
import type { Figure } from '../drawing/figure.ts';
import { dimmedOpacity, dot, label } from '../drawing/marks.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { el, type SvgNode } from '../drawing/svg.ts';
import { textWidth, widest } from '../drawing/text-width.ts';
import type { TreatmentIdentity } from '../drawing/treatments.ts';
import { columnsOf, type DocumentTable } from '../table.ts';

export interface StripPoint {
  id: number;
  name: string;
  value: number;
  isFlagged: boolean;
}

export interface StripRow {
  /** True for a heading of the rows below, which has no points. */
  isHeading?: boolean;
  treatment: TreatmentIdentity;
  points: readonly StripPoint[];
}

export interface StripData {
  label: string;
  unit: string;
  rows: readonly StripRow[];
  scale: 'linear' | 'log';
  /** Ids of the highlighted points; null if none is selected. */
  chosen: ReadonlySet<number> | null;
  /** Whether row names are drawn; false if a neighbouring chart shows them. */
  showsNames: boolean;
  /** Whether wide names are written above their dots, because there is no space for a column. */
  isNarrow: boolean;
}

const rowPx = 22;
const maxNarrowNamePx = 190;
const tallRowPx = 36;
const axisPx = 22;
/** Number of lanes of dots within a row, so that equal values do not hide each other. */
const lanes = 3;

/** Describes every run as a dot, with a row for each treatment. */
export function describeStrips(palette: Palette, data: StripData): Figure {
  const { label: name, unit, rows, scale, chosen, showsNames, isNarrow } = data;
  const namesPx = namesWidth(rows);
  // The value is equal in neighbouring charts, so that rows align.
  const isAbove = isNarrow && namesPx > maxNarrowNamePx;
  const left = showsNames && !isAbove ? namesPx + 24 : 20;
  const height = isAbove ? tallRowPx : rowPx;
  const down = isAbove ? 0.22 : 0;
  return {
    label: name,
    finding: runsInWords(rows, unit),
    heightPx: rows.length * height + axisPx,
    margins: { top: 0, right: 14, bottom: axisPx, left },
    x: stripAxis(rows, scale),
    y: rowAxis(rows.length),
    ground: { xGrid: true, xUnit: unit },
    hover: { axis: 'xy', px: 8 },
    tips: rows.flatMap(({ treatment, points }, row) =>
      points.map((point, i) => ({
        x: point.value,
        y: row + down + laneOf(i),
        tip: [treatment.label, `${point.name}: ${formatNumber(point.value)} ${unit}`],
        pick: treatment.id,
      })),
    ),
    above: ({ x, y }) =>
      rows.flatMap(({ treatment, points, isHeading = false }, row): SvgNode[] => {
        const { index: mark, shortLabel } = treatment;
        const opacity = treatment.isDimmed ? dimmedOpacity : undefined;
        const stroke = colourOf(palette, mark);
        const run = ({ id, value, isFlagged }: StripPoint, i: number) =>
          el('circle', {
            cx: x(value),
            cy: y(row + down + laneOf(i)),
            r: chosen?.has(id) ? 3.6 : 2.8,
            opacity: chosen && !chosen.has(id) ? dimmedOpacity : opacity,
            ...(isFlagged ? { fill: 'none', stroke, strokeWidth: 1.25 } : { fill: stroke }),
          });
        return [
          el('g', { opacity }, [
            ...(showsNames
              ? [
                  label(shortLabel, {
                    x: 0,
                    y: y(row - down),
                    fill: palette.text2,
                    ...(isHeading ? { weight: 600, fill: palette.text } : {}),
                  }),
                ]
              : []),
            ...(isHeading ? [] : [dot(palette, mark, { x: left - 10, y: y(row + down), size: 3 })]),
          ]),
          ...points.map(run),
        ];
      }),
  };
}

/** Returns "18 runs from 0.3 to 0.9 ms, 2 of them flagged". */
function runsInWords(rows: readonly StripRow[], unit: string): string {
  const points = rows.flatMap((row) => row.points);
  if (points.length === 0) return 'no run';
  const values = points.map(({ value }) => value);
  const [from, to] = [Math.min(...values), Math.max(...values)].map((value) => formatNumber(value));
  const flagged = points.filter(({ isFlagged }) => isFlagged).length;
  return `${plural(points.length, 'run')} from ${from} to ${to} ${unit}${flagged > 0 ? `, ${flagged} of them flagged` : ''}`;
}

/** Returns the width of the longest row name, in px. */
export function namesWidth(rows: readonly StripRow[]): number {
  return widest(rows.map(({ treatment }) => textWidth(treatment.shortLabel)));
}

function laneOf(index: number): number {
  return ((index % lanes) - (lanes - 1) / 2) * 0.22;
}

/** Returns an axis around all values. It may exclude zero, because dots have no length. */
function stripAxis(rows: readonly StripRow[], scale: 'linear' | 'log'): Axis {
  const values = rows.flatMap(({ points }) => points.map(({ value }) => value));
  if (scale === 'log' && canBeLog(values)) return logAxis(values);
  if (values.length === 0) return niceAxis({ min: 0, max: 1 });
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const room = max > min ? (max - min) * 0.03 : Math.abs(max) * 0.1 || 1;
  return tightAxis({ min: min >= 0 ? Math.max(0, min - room) : min - room, max: max + room, steps: 4 });
}

/** Returns one row for each run. */
export function stripTable(rows: readonly StripRow[], head: { name: string; unit: string }): DocumentTable {
  return {
    columns: columnsOf('Treatment', 'Run', [head.name, head.unit], 'Flagged'),
    rows: rows.flatMap(({ treatment, points }) =>
      points.map(({ name, value, isFlagged }) => [treatment.label, name, value, isFlagged ? 'yes' : 'no']),
    ),
  };
}
