import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { baseOptions, hiddenScale, linearScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { treatmentPaint } from './canvas/chart-theme.ts';
import { drawMarker, drawText } from './canvas/draw.ts';
import { makeMeasureText } from './canvas/measure-text.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import type { Brush } from './datasets/brush.ts';
import { type StripRow, stripAxis } from './datasets/strip-chart-data.ts';
import { dimmedAlpha } from './panels/chart-pick.ts';

export type StripChartProps = {
  label: string;
  unit: string;
  rows: readonly StripRow[];
  scale: 'linear' | 'log';
  /** Ids of the points that stand out; null: all alike. */
  chosen: ReadonlySet<number> | null;
  /** Names of the rows; without them markers alone, where a chart beside has the names. */
  showsNames: boolean;
  brush?: Brush | undefined;
};

const ROW_PX = 22;
const AXIS_PX = 22;
/** Rows of dots, so that equal values do not hide each other. */
const LANES = 3;

/** Every run as a dot, a row for each treatment. */
export function StripChart(props: StripChartProps): ReactElement {
  const { label, unit, rows, scale, chosen, showsNames, brush } = props;
  const theme = useChartTheme();
  const left = useMemo(() => {
    const measure = makeMeasureText(theme);
    const names = rows.map(({ treatment }) => measure(treatment.shortLabel));
    return showsNames ? Math.min(190, Math.ceil(Math.max(0, ...names)) + 24) : 20;
  }, [rows, showsNames, theme]);
  const axis = useMemo(() => stripAxis(rows, scale), [rows, scale]);

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const data = rows.flatMap(({ treatment, points }, row) =>
      points.map(({ value, name }, index): TipPoint => {
        const tip = [treatment.label, `${name}: ${formatNumber(value)} ${unit}`];
        return { x: value, y: row + laneOf(index), tip, ...(treatment.id ? { pick: treatment.id } : {}) };
      }),
    );
    return {
      type: 'scatter',
      data: { datasets: [{ data, pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 8 }] },
      options: baseOptions(
        theme,
        { top: 0, right: 14, bottom: 0, left, hover: 'xy' },
        {
          x: linearScale(theme, { axis, position: 'bottom', sizePx: AXIS_PX, unit }),
          y: hiddenScale(-0.5, rows.length - 0.5, true),
        },
      ),
    };
  }, [rows, unit, axis, left, theme]);

  const layers = useMemo<ChartLayers>(
    () => ({
      over: (ctx, chart) => {
        const x = (value: number) => chart.scales.x?.getPixelForValue(value) ?? 0;
        const y = (value: number) => chart.scales.y?.getPixelForValue(value) ?? 0;
        rows.forEach(({ treatment, points }, row) => {
          const paint = treatmentPaint(theme, treatment.index);
          const own = treatment.isDimmed ? dimmedAlpha : 1;
          ctx.globalAlpha = own;
          if (showsNames) {
            drawText(ctx, theme, { text: treatment.shortLabel, x: 0, y: y(row), colour: theme.text2 });
          }
          drawMarker(ctx, theme, { index: treatment.index, x: left - 10, y: y(row), size: 3 });
          ctx.fillStyle = paint.stroke;
          ctx.strokeStyle = paint.stroke;
          ctx.lineWidth = 1.25;
          points.forEach(({ id, value, isFlagged }, index) => {
            ctx.globalAlpha = chosen && !chosen.has(id) ? dimmedAlpha : own;
            ctx.beginPath();
            ctx.arc(x(value), y(row + laneOf(index)), chosen?.has(id) ? 3.6 : 2.8, 0, 2 * Math.PI);
            if (isFlagged) ctx.stroke();
            else ctx.fill();
          });
        });
        ctx.globalAlpha = 1;
      },
    }),
    [rows, chosen, showsNames, left, theme],
  );
  return (
    <CanvasChart
      config={config}
      layers={layers}
      label={label}
      heightPx={rows.length * ROW_PX + AXIS_PX}
      brush={brush}
    />
  );
}

function laneOf(index: number): number {
  return ((index % LANES) - (LANES - 1) / 2) * 0.22;
}
