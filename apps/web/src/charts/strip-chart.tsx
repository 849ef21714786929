import { rowAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure } from '@mqttlab/charts/drawing/figure';
import { label, marker } from '@mqttlab/charts/drawing/plot';
import { dimmedOpacity } from '@mqttlab/charts/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { textWidth } from '@mqttlab/charts/drawing/text-width';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import type { Brush } from './canvas/brush.ts';
import { type ChartTheme, treatmentPaint, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure } from './canvas/use-figure.ts';
import { type StripPoint, type StripRow, stripAxis } from './datasets/strip-chart-data.ts';

export type StripChartProps = {
  label: string;
  unit: string;
  rows: readonly StripRow[];
  scale: 'linear' | 'log';
  /** Ids of the points that stand out; null: all alike. */
  chosen: ReadonlySet<number> | null;
  /** Names of the rows; without them markers alone, where a chart beside has the names. */
  showsNames: boolean;
  /** Puts names that are wide above their dots: there is no room for a column of them. */
  isNarrow: boolean;
  brush?: Brush | undefined;
};

const rowPx = 22;
const maxNarrowNamePx = 190;
const tallRowPx = 36;
const axisPx = 22;
/** Rows of dots, so that equal values do not hide each other. */
const lanes = 3;

/** Every run as a dot, a row for each treatment. */
export function StripChart({ brush, ...rest }: StripChartProps): ReactElement {
  return <FigureChart figure={useFigure(describeStrips, rest)} brush={brush} />;
}

function describeStrips(theme: ChartTheme, props: Omit<StripChartProps, 'brush'>): Figure {
  const { label: name, unit, rows, scale, chosen, showsNames, isNarrow } = props;
  const namesPx = namesWidth(rows);
  // In all charts beside each other alike, so that their rows stand level.
  const isAbove = isNarrow && namesPx > maxNarrowNamePx;
  const left = showsNames && !isAbove ? namesPx + 24 : 20;
  const height = isAbove ? tallRowPx : rowPx;
  const down = isAbove ? 0.22 : 0;
  return {
    label: name,
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
        const { stroke } = treatmentPaint(theme, mark);
        const dot = ({ id, value, isFlagged }: StripPoint, i: number) =>
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
                    fill: theme.text2,
                    ...(isHeading ? { weight: 600, fill: theme.text } : {}),
                  }),
                ]
              : []),
            ...(isHeading ? [] : [marker(theme, mark, { x: left - 10, y: y(row + down), size: 3 })]),
          ]),
          ...points.map(dot),
        ];
      }),
  };
}

/** Of the longest name of the rows, px. */
export function namesWidth(rows: readonly StripRow[]): number {
  return widest(rows.map(({ treatment }) => textWidth(treatment.shortLabel)));
}

function laneOf(index: number): number {
  return ((index % lanes) - (lanes - 1) / 2) * 0.22;
}
