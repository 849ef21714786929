import type { Axis } from '@mqttlab/charts/drawing/axis';
import type { Figure, Tip } from '@mqttlab/charts/drawing/figure';
import { dimmedOpacity } from '@mqttlab/charts/drawing/marks';
import { colourOf, withAlpha } from '@mqttlab/charts/drawing/palette';
import {
  Chart,
  type ChartConfiguration,
  LinearScale,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  type ScatterDataPoint,
  Tooltip,
} from 'chart.js';
import { treatmentDash } from '../../ui/treatment-mark.tsx';
import type { ChartTheme } from './chart-theme.ts';

/** Registers the parts of Chart.js that figures need; idempotent. */
export function registerCharts(): void {
  Chart.register(LinearScale, LineElement, LogarithmicScale, PointElement, ScatterController, Tooltip);
}

type Config = ChartConfiguration<'scatter', (Tip & ScatterDataPoint)[]>;
export type FigureChartInstance = Chart<'scatter', (Tip & ScatterDataPoint)[]>;

/**
 * Converts a figure for Chart.js: its lines to datasets, its other data to points that only carry tooltips.
 */
export function chartConfig(figure: Figure, theme: ChartTheme): Config {
  const { margins, hover, lines = [], tips = [] } = figure;
  const { axis, px } = hover;
  return {
    type: 'scatter',
    data: {
      datasets: [
        ...lines.map(({ mark, points, width = 1.5, isDashed = true, isDimmed = false }, i) => {
          const stroke = colourOf(theme, mark);
          return {
            data: [...points],
            showLine: true,
            borderColor: isDimmed ? withAlpha(stroke, dimmedOpacity) : stroke,
            borderWidth: width,
            borderDash: isDashed ? [...treatmentDash(mark)] : [],
            pointRadius: 0,
            pointHoverRadius: 3,
            pointHitRadius: px,
            pointBackgroundColor: stroke,
            order: -i,
          };
        }),
        ...(tips.length > 0
          ? [{ data: [...tips], pointRadius: 0, pointHoverRadius: 0, pointHitRadius: px }]
          : []),
      ],
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      layout: { padding: margins, autoPadding: false },
      interaction: { mode: 'nearest', axis, intersect: false },
      scales: { x: hiddenScale(figure.x), y: hiddenScale(figure.y) },
      plugins: { tooltip: tooltip(theme) },
    },
  };
}

/**
 * Returns a scale for positions only: the figure draws its axes, so that they are equal on the page and in
 * files.
 */
function hiddenScale({ min, max, isLog }: Axis) {
  const ends = min > max ? { min: max, max: min, reverse: true } : { min, max };
  return { type: isLog ? ('logarithmic' as const) : ('linear' as const), display: false, ...ends };
}

function tooltip(theme: ChartTheme) {
  const { surface, lineStrong, text, text2, fontSans: family } = theme;
  const linesOf = (raw: unknown): readonly string[] => (raw as Tip | undefined)?.tip ?? [];
  return {
    backgroundColor: surface,
    borderColor: lineStrong,
    borderWidth: 1,
    cornerRadius: 5,
    padding: 8,
    caretSize: 0,
    displayColors: false,
    titleColor: text,
    bodyColor: text2,
    titleFont: { family, size: 12, weight: 600 },
    bodyFont: { family, size: 12 },
    callbacks: {
      title: (items: readonly { raw: unknown }[]) => linesOf(items[0]?.raw)[0] ?? '',
      label: (item: { raw: unknown }) => [...linesOf(item.raw).slice(1)],
    },
  };
}
