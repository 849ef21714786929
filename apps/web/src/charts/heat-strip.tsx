import { formatNumber } from '@mqttlab/shared/format/number';
import type { Chart, ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { baseOptions, hiddenScale, linearScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { type ChartTheme, treatmentPaint } from './canvas/chart-theme.ts';
import { drawText } from './canvas/draw.ts';
import { makeMeasureText } from './canvas/measure-text.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { type HeatCell, type HeatRow, heatCells } from './datasets/heat-strip-data.ts';
import { niceAxis } from './datasets/nice-axis.ts';

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

const ROW_PX = 16;
const AXIS_PX = 22;
const KEY_PX = 22;
/** So that what is idle still shows that it was measured. */
const faintest = 0.05;

/** One row for each core and a cell for each sample: the stronger, the busier. */
export function HeatStrip(props: HeatStripProps): ReactElement {
  const { label, unit, treatmentIndex, rows, top, xRange, leftPx = 0, rightPx = 8 } = props;
  const theme = useChartTheme();
  const cells = useMemo(() => heatCells(rows), [rows]);
  const [from, to] = xRange;
  const left = useMemo(() => {
    const measure = makeMeasureText(theme);
    return Math.max(leftPx, Math.ceil(Math.max(0, ...rows.map((row) => measure(row.name)))) + 8);
  }, [rows, theme, leftPx]);

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const axis = niceAxis({ min: from, max: to, steps: 6 });
    const data = cells.map((cell): TipPoint => {
      const span = `${formatNumber(cell.from)} to ${formatNumber(cell.to)} s`;
      const tip = [rows[cell.row]?.name ?? '', `${formatNumber(cell.value)} ${unit}, ${span}`];
      return { x: (cell.from + cell.to) / 2, y: cell.row, tip };
    });
    return {
      type: 'scatter',
      data: { datasets: [{ data, pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 8 }] },
      options: baseOptions(
        theme,
        { top: KEY_PX, right: rightPx, bottom: 0, left, hover: 'xy' },
        {
          x: linearScale(theme, {
            axis: { ...axis, min: from, max: to, ticks: axis.ticks.filter((t) => t >= from && t <= to) },
            position: 'bottom',
            sizePx: AXIS_PX,
            grid: false,
            unit: 's',
          }),
          y: hiddenScale(-0.5, rows.length - 0.5, true),
        },
      ),
    };
  }, [cells, rows, unit, theme, from, to, left, rightPx]);

  const layers = useMemo<ChartLayers>(
    () => ({ over: (ctx, chart) => drawHeat(ctx, theme, { chart, rows, cells, top, treatmentIndex, unit }) }),
    [rows, cells, top, treatmentIndex, unit, theme],
  );
  const heightPx = KEY_PX + rows.length * ROW_PX + AXIS_PX;
  return <CanvasChart config={config} layers={layers} label={label} heightPx={heightPx} />;
}

type HeatDrawing = {
  chart: Chart;
  rows: readonly HeatRow[];
  cells: readonly HeatCell[];
  top: number;
  treatmentIndex: number;
  unit: string;
};

function drawHeat(ctx: CanvasRenderingContext2D, theme: ChartTheme, drawing: HeatDrawing): void {
  const { chart, rows, cells, top, treatmentIndex, unit } = drawing;
  const { left, right, top: upper, bottom } = chart.chartArea;
  const x = (t: number) => chart.scales.x?.getPixelForValue(t) ?? 0;
  const y = (row: number) => chart.scales.y?.getPixelForValue(row) ?? 0;
  const { stroke } = treatmentPaint(theme, treatmentIndex);
  rows.forEach((row, i) => {
    drawText(ctx, theme, { text: row.name, x: left - 8, y: y(i), align: 'right', colour: theme.text2 });
  });
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, upper, right - left, bottom - upper);
  ctx.clip();
  ctx.fillStyle = stroke;
  for (const cell of cells) {
    const start = Math.round(x(cell.from));
    ctx.globalAlpha = Math.min(1, faintest + (1 - faintest) * Math.max(0, cell.value / top));
    ctx.fillRect(
      start,
      y(cell.row) - ROW_PX / 2 + 1,
      Math.max(1, Math.round(x(cell.to)) - start),
      ROW_PX - 2,
    );
  }
  ctx.restore();
  drawKey(ctx, theme, { stroke, right, unit, top });
}

type HeatKey = { stroke: string; right: number; unit: string; top: number };

function drawKey(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  { stroke, right, unit, top }: HeatKey,
): void {
  const end = `${formatNumber(top)} ${unit}`;
  const width = drawText(ctx, theme, { text: end, x: right, y: 8, align: 'right', colour: theme.tick });
  const steps = 5;
  const keyRight = right - width - 6;
  ctx.save();
  ctx.fillStyle = stroke;
  for (let i = 0; i < steps; i += 1) {
    ctx.globalAlpha = faintest + ((1 - faintest) * i) / (steps - 1);
    ctx.fillRect(keyRight - (steps - i) * 12, 3, 12, 10);
  }
  ctx.restore();
  drawText(ctx, theme, { text: '0', x: keyRight - steps * 12 - 6, y: 8, align: 'right', colour: theme.tick });
}
