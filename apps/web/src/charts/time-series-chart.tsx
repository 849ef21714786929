import { cropAxis, fixedAxis, logAxis, niceAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure } from '@mqttlab/charts/drawing/figure';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import type { Brush } from './canvas/brush.ts';
import type { ChartTheme } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure } from './canvas/use-figure.ts';
import {
  type BandPoint,
  decimateSeries,
  type SeriesPhase,
  type SeriesPoint,
  type TimeSeries,
} from './datasets/time-series-data.ts';
import { drawSeriesEnds, drawSeriesGround, type EndLabel } from './series-marks.ts';

export type { EndLabel } from './series-marks.ts';

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

/** Lines over time with bands, warm-up shading, earlier repetitions and labels at the ends. */
export function TimeSeriesChart({ brush, ...rest }: TimeSeriesChartProps): ReactElement {
  return <FigureChart figure={useFigure(describeSeries, rest)} brush={brush} />;
}

function describeSeries(theme: ChartTheme, props: TimeSeriesChartProps): Figure {
  const { label, unit, xRange, yRange, series, isLog = false, dashed = false, nowS, endLabels } = props;
  const { ghosts = [], ghostBand = [], ghostLabel, phases = [], heightPx = 164 } = props;
  const { showsX = true, showsY = true, ySteps = 4, rightPx = 8, leftPx = 0 } = props;
  const [xMin, xMax] = xRange;
  const [yMin, yMax] = yRange;
  const y = isLog ? logAxis([yMin, yMax]) : fixedAxis({ min: yMin, max: yMax, steps: ySteps });
  // 28 for three digits, 6 for each further character: the same for figures of the same length.
  const longest = Math.max(0, ...y.ticks.map((tick) => y.format(tick).length));
  const yLabelPx = Math.max(28, 10 + longest * 6);
  const names = series.flatMap(({ name, points, treatment }): EndLabel[] => {
    const last = points.at(-1);
    const { shortLabel, index, isDimmed = false } = treatment;
    return last ? [{ text: name ?? shortLabel, value: last.v, index, isDimmed }] : [];
  });
  return {
    label,
    heightPx,
    margins: {
      top: 10,
      bottom: showsX ? 22 : 4,
      left: showsY ? Math.max(leftPx, yLabelPx) : leftPx,
      right: rightPx,
    },
    x: cropAxis(niceAxis({ min: xMin, max: xMax, steps: 6 }), { min: xMin, max: xMax }),
    y,
    ground: { xUnit: 's', hidesX: !showsX, hidesY: !showsY },
    hover: { axis: 'x', px: 8 },
    lines: series
      .toSorted((a, b) => Number(a.isLead ?? false) - Number(b.isLead ?? false))
      .map(({ treatment, name, points, isLead }) => ({
        mark: treatment.index,
        isDashed: dashed,
        width: isLead ? 2 : 1.5,
        isDimmed: treatment.isDimmed ?? false,
        points: decimateSeries(points).map(({ t, v }) => ({
          x: t,
          y: v,
          tip: [`${formatNumber(t)} s`, `${name ?? treatment.shortLabel}: ${formatNumber(v)} ${unit}`],
          pick: treatment.id,
        })),
      })),
    below: (plot) => drawSeriesGround(theme, plot, { series, ghosts, ghostBand, phases }),
    above: (plot) =>
      drawSeriesEnds(theme, plot, {
        series,
        labels: endLabels ?? (series.length > 1 ? names : []),
        ghosts,
        ghostLabel,
        nowS,
      }),
  };
}
