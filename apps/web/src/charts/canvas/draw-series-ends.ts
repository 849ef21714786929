import type { Chart } from 'chart.js';
import { spreadLabels } from '../datasets/spread-labels.ts';
import type { SeriesPoint, TimeSeries } from '../datasets/time-series-data.ts';
import { dimmedAlpha } from '../panels/chart-pick.ts';
import { type ChartTheme, treatmentPaint } from './chart-theme.ts';
import { drawLine, drawMarker, drawText } from './draw.ts';

/** A label at the lines' ends: "P50 8.2 ms" at the height of 8.2. */
export type EndLabel = {
  text: string;
  value: number;
  isStrong?: boolean;
  /** Writes it in the treatment's colour. */
  index?: number;
  isDimmed?: boolean;
};

export type SeriesEnds = {
  chart: Chart;
  series: readonly TimeSeries[];
  labels: readonly EndLabel[];
  ghosts: readonly (readonly SeriesPoint[])[];
  ghostLabel?: string;
  nowS?: number;
};

/** Markers on the last points, the line of now, and labels that keep clear of each other. */
export function drawSeriesEnds(ctx: CanvasRenderingContext2D, theme: ChartTheme, ends: SeriesEnds): void {
  const { chart, series, labels, ghosts, ghostLabel, nowS } = ends;
  const { top, bottom, left, right } = chart.chartArea;
  const x = (t: number) => chart.scales.x?.getPixelForValue(t) ?? 0;
  const y = (v: number) => chart.scales.y?.getPixelForValue(v) ?? 0;
  if (nowS !== undefined) drawLine(ctx, { from: [x(nowS), top], to: [x(nowS), bottom], colour: theme.ghost });
  const lasts = series.flatMap((one) => {
    const last = one.points.at(-1);
    return last ? [{ one, last }] : [];
  });
  for (const { one, last } of lasts) {
    const size = one.isLead ? 4.5 : 3.2;
    ctx.globalAlpha = one.treatment.isDimmed ? dimmedAlpha : 1;
    drawMarker(ctx, theme, { index: one.treatment.index, x: x(last.t), y: y(last.v), size });
    ctx.globalAlpha = 1;
  }
  const ghostEnd = ghosts[0]?.at(-1);
  if (ghostLabel && ghostEnd) {
    const at = Math.min(right + 6, x(ghostEnd.t) + 6);
    drawText(ctx, theme, { text: ghostLabel, x: at, y: y(ghostEnd.v), colour: theme.text2 });
  }
  if (labels.length === 0) return;
  const end = Math.max(left, ...lasts.map(({ last }) => x(last.t)));
  // The lead's label stands above the earlier repetitions that run on behind it.
  const lift = (label: EndLabel) => (label.isStrong && ghosts.length > 0 ? 11 : 0);
  const wanted = labels.map((label) => Math.min(bottom, Math.max(top, y(label.value) - lift(label))));
  const placed = spreadLabels(wanted, { gap: 14, min: top + 4, max: bottom - 6 });
  labels.forEach((label, i) => {
    ctx.globalAlpha = label.isDimmed ? dimmedAlpha : 1;
    drawText(ctx, theme, {
      text: label.text,
      x: end + 9,
      y: placed[i] ?? 0,
      weight: label.isStrong ? 600 : 400,
      colour: label.index
        ? treatmentPaint(theme, label.index).stroke
        : label.isStrong
          ? theme.text
          : theme.text2,
      halo: theme.surface,
    });
    ctx.globalAlpha = 1;
  });
}
