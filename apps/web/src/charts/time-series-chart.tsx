import { formatFixed, formatNumber } from '@mqttlab/shared/format/number';
import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { treatmentDash } from '../ui/treatment-mark.tsx';
import { baseOptions, linearScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { treatmentPaint, withAlpha } from './canvas/chart-theme.ts';
import { drawSeriesEnds, type EndLabel } from './canvas/draw-series-ends.ts';
import { drawSeriesGround } from './canvas/draw-series-ground.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import type { Brush } from './datasets/brush.ts';
import { logAxis } from './datasets/log-axis.ts';
import { fixedAxis, niceAxis } from './datasets/nice-axis.ts';
import {
  type BandPoint,
  decimateBand,
  decimateSeries,
  type SeriesPhase,
  type SeriesPoint,
  type TimeSeries,
} from './datasets/time-series-data.ts';
import { dimmedAlpha } from './panels/chart-pick.ts';

export type { EndLabel } from './canvas/draw-series-ends.ts';

export type TimeSeriesChartProps = {
  label: string;
  /** Of the values; in tooltips. */
  unit: string;
  /** Fixed axes: nothing moves while points arrive. x in seconds, negative in the warm-up. */
  xRange: readonly [number, number];
  yRange: readonly [number, number];
  /** y by powers of ten; both ends of its range are above zero. */
  isLog?: boolean;
  series: readonly TimeSeries[];
  /** Earlier repetitions, in grey behind the series. */
  ghosts?: readonly (readonly SeriesPoint[])[];
  /** Their range as a grey band, for small panels. */
  ghostBand?: readonly BandPoint[];
  /** Named at the right end of the ghosts: "reps 1-3". */
  ghostLabel?: string;
  phases?: readonly SeriesPhase[];
  /** An upright line where the measurement stands now. */
  nowS?: number;
  /** At each line's end; by default its name when there are several, nothing when there is one. */
  endLabels?: readonly EndLabel[];
  heightPx?: number;
  /** Dash as well as colour, for several series in one panel. */
  dashed?: boolean;
  /** Room for x labels; leave out on all but the last of stacked panels. */
  showsX?: boolean;
  showsY?: boolean;
  /** About how many steps the y axis has. */
  ySteps?: number;
  /** Room at the right for end labels; 0 lets them stand inside the chart's empty future. */
  rightPx?: number;
  /** Lets a drag choose a stretch of time. */
  brush?: Brush | undefined;
  /** Room for the y axis where a chart below has wider names. */
  leftPx?: number;
};

const X_PX = 22;

/** Lines over time with bands, warm-up shading, earlier repetitions and labels at the ends. */
export function TimeSeriesChart(props: TimeSeriesChartProps): ReactElement {
  const {
    label,
    unit,
    xRange,
    yRange,
    series,
    isLog = false,
    dashed = false,
    heightPx = 164,
    rightPx = 8,
    leftPx = 0,
  } = props;
  const {
    showsX = true,
    showsY = true,
    ySteps = 4,
    nowS,
    endLabels,
    ghosts,
    ghostBand,
    ghostLabel,
    phases,
    brush,
  } = props;
  const theme = useChartTheme();
  const [xMin, xMax] = xRange;
  const [yMin, yMax] = yRange;

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const x = niceAxis({ min: xMin, max: xMax, steps: 6 });
    const y = isLog ? logAxis([yMin, yMax]) : fixedAxis({ min: yMin, max: yMax, steps: ySteps });
    const datasets = series.map((one) => {
      const { stroke } = treatmentPaint(theme, one.treatment.index);
      const name = one.name ?? one.treatment.shortLabel;
      const data = decimateSeries(one.points).map(
        ({ t, v }): TipPoint => ({
          x: t,
          y: v,
          tip: [`${formatNumber(t)} s`, `${name}: ${formatNumber(v)} ${unit}`],
          ...(one.treatment.id ? { pick: one.treatment.id } : {}),
        }),
      );
      return {
        data,
        showLine: true,
        borderColor: one.treatment.isDimmed ? withAlpha(stroke, dimmedAlpha) : stroke,
        borderWidth: one.isLead ? 2 : 1.5,
        borderDash: dashed ? [...treatmentDash(one.treatment.index)] : [],
        pointRadius: 0,
        pointHoverRadius: 3,
        pointHitRadius: 8,
        pointBackgroundColor: stroke,
        order: one.isLead ? 0 : 1,
      };
    });
    return {
      type: 'scatter',
      data: { datasets },
      options: baseOptions(
        theme,
        { top: 10, bottom: showsX ? 0 : 4, left: 0, right: rightPx, hover: 'x' },
        {
          x: linearScale(theme, {
            axis: { ...x, min: xMin, max: xMax, ticks: x.ticks.filter((t) => t >= xMin && t <= xMax) },
            position: 'bottom',
            sizePx: showsX ? X_PX : 0,
            labels: showsX,
            grid: false,
            unit: 's',
          }),
          y: linearScale(theme, {
            axis: y,
            position: 'left',
            sizePx: showsY ? Math.max(leftPx, yLabelPx(y)) : leftPx,
            labels: showsY,
          }),
        },
      ),
    };
  }, [series, unit, xMin, xMax, yMin, yMax, ySteps, isLog, theme, dashed, showsX, showsY, rightPx, leftPx]);

  const layers = useMemo<ChartLayers>(() => {
    const bands = series.flatMap((one) =>
      one.band && !one.treatment.isDimmed
        ? [{ index: one.treatment.index, band: decimateBand(one.band) }]
        : [],
    );
    const labels = endLabels ?? (series.length > 1 ? nameLabels(series) : []);
    return {
      under: (ctx, chart) =>
        drawSeriesGround(ctx, theme, {
          chart,
          bands,
          ghosts: (ghosts ?? []).map(decimateSeries),
          ghostBand: decimateBand(ghostBand ?? []),
          phases: phases ?? [],
        }),
      over: (ctx, chart) =>
        drawSeriesEnds(ctx, theme, {
          chart,
          series,
          labels,
          ghosts: ghosts ?? [],
          ...(ghostLabel === undefined ? {} : { ghostLabel }),
          ...(nowS === undefined ? {} : { nowS }),
        }),
    };
  }, [series, theme, endLabels, ghosts, ghostBand, ghostLabel, phases, nowS]);

  return <CanvasChart config={config} layers={layers} label={label} heightPx={heightPx} brush={brush} />;
}

/** Room for the longest y label: 28 for three digits, 6 for each further character. */
function yLabelPx({ ticks, decimals }: { ticks: readonly number[]; decimals: number }): number {
  const longest = Math.max(0, ...ticks.map((tick) => formatFixed(tick, decimals).length));
  return Math.max(28, 10 + longest * 6);
}

function nameLabels(series: readonly TimeSeries[]): EndLabel[] {
  return series.flatMap((one) => {
    const last = one.points.at(-1);
    const { shortLabel, index, isDimmed = false } = one.treatment;
    return last ? [{ text: one.name ?? shortLabel, value: last.v, index, isDimmed }] : [];
  });
}
