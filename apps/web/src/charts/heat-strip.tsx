import { cropAxis, niceAxis, rowAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure } from '@mqttlab/charts/drawing/figure';
import { label } from '@mqttlab/charts/drawing/plot';
import { clipped } from '@mqttlab/charts/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { type ChartTheme, treatmentPaint, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure } from './canvas/use-figure.ts';
import { type HeatRow, heatCells } from './datasets/heat-strip-data.ts';

export type HeatStripProps = {
  label: string;
  unit: string;
  treatmentIndex: number;
  rows: readonly HeatRow[];
  /** Value of the full colour; from 0. */
  top: number;
  /** s; the same as in the chart above it. */
  xRange: readonly [number, number];
  /** Room at the left, where a chart above has its axis. */
  leftPx?: number;
  rightPx?: number;
};

const rowPx = 16;
const axisPx = 22;
const keyPx = 22;
/** So that what is idle still shows that it was measured. */
const faintest = 0.05;
const keySteps = 5;

/** One row for each core and a cell for each sample: the stronger, the busier. */
export function HeatStrip(props: HeatStripProps): ReactElement {
  return <FigureChart figure={useFigure(describeHeat, props)} />;
}

function describeHeat(theme: ChartTheme, props: HeatStripProps): Figure {
  const { label: name, unit, treatmentIndex, rows, top, xRange, leftPx = 0, rightPx = 8 } = props;
  const [min, max] = xRange;
  const cells = heatCells(rows);
  const { stroke: fill } = treatmentPaint(theme, treatmentIndex);
  const opacityOf = (share: number) => Math.min(1, faintest + (1 - faintest) * Math.max(0, share));
  return {
    label: name,
    heightPx: keyPx + rows.length * rowPx + axisPx,
    margins: {
      top: keyPx,
      right: rightPx,
      bottom: axisPx,
      left: Math.max(leftPx, widest(rows.map((row) => theme.widthOf(row.name))) + 8),
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
        label(row.name, { x: area.left - 8, y: y(i), anchor: 'end', fill: theme.text2 }),
      );
      const drawn = cells.map((cell) => {
        const start = Math.round(x(cell.from));
        return el('rect', {
          x: start,
          y: y(cell.row) - rowPx / 2 + 1,
          width: Math.max(1, Math.round(x(cell.to)) - start),
          height: rowPx - 2,
          fill,
          fillOpacity: opacityOf(cell.value / top),
        });
      });
      const end = `${formatNumber(top)} ${unit}`;
      const keyX = area.right - theme.widthOf(end) - 6 - keySteps * 12;
      const swatches = Array.from({ length: keySteps }, (_, i) =>
        el('rect', {
          x: keyX + i * 12,
          y: 3,
          width: 12,
          height: 10,
          fill,
          fillOpacity: opacityOf(i / (keySteps - 1)),
        }),
      );
      return [
        ...names,
        clipped(area, drawn),
        label('0', { x: keyX - 6, y: 8, anchor: 'end', fill: theme.text3 }),
        ...swatches,
        label(end, { x: area.right, y: 8, anchor: 'end', fill: theme.text3 }),
      ];
    },
  };
}
