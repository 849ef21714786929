import type { Plot } from '@mqttlab/charts/drawing/figure';
import { spreadLabels } from '@mqttlab/charts/drawing/labels';
import { colourOf } from '@mqttlab/charts/drawing/palette';
import { band, label, line, marker } from '@mqttlab/charts/drawing/plot';
import { clipped, faded, pathThrough, shade } from '@mqttlab/charts/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { type ChartTheme, widest } from './canvas/chart-theme.ts';
import {
  type BandPoint,
  decimateBand,
  decimateSeries,
  type SeriesPhase,
  type SeriesPoint,
  type TimeSeries,
} from './datasets/time-series-data.ts';

/** A label at the lines' ends: "P50 8.2 ms" at the height of 8.2. */
export type EndLabel = {
  text: string;
  value: number;
  isStrong?: boolean;
  /** Writes it in the treatment's colour. */
  index?: number;
  isDimmed?: boolean;
};

export type SeriesGround = {
  series: readonly TimeSeries[];
  ghosts: readonly (readonly SeriesPoint[])[];
  ghostBand: readonly BandPoint[];
  phases: readonly SeriesPhase[];
};

/** What lies behind the lines: phases, bands, earlier repetitions. */
export function drawSeriesGround(theme: ChartTheme, { x, y, area }: Plot, ground: SeriesGround): SvgNode[] {
  const { series, ghosts, ghostBand, phases } = ground;
  const { top, bottom } = area;
  const spans = (points: readonly BandPoint[]) =>
    decimateBand(points).map(({ t, lo, hi }) => ({ x: x(t), lo: y(lo), hi: y(hi) }));
  const inside = [
    ...phases
      .filter(({ isShaded }) => isShaded)
      .map(({ from, to }) =>
        el('rect', { x: x(from), y: top, width: x(to) - x(from), height: bottom - top, fill: theme.shade }),
      ),
    ...shade(spans(ghostBand), { fill: theme.ghost, fillOpacity: 0.4 }),
    ...series.flatMap(({ treatment, band: own = [] }) =>
      treatment.isDimmed ? [] : band(theme, treatment.index, spans(own)),
    ),
    ...ghosts.map((ghost) =>
      el('path', {
        d: pathThrough(decimateSeries(ghost).map(({ t, v }) => [x(t), y(v)])),
        fill: 'none',
        stroke: theme.ghost,
      }),
    ),
  ];
  const names = phases
    .filter(({ name, from, to }) => name && x(to) - x(from) >= 40)
    .map(({ name, from }) => label(name, { x: x(from) + 4, y: top + 8, fill: theme.text3 }));
  return [clipped({ ...area, top: top - 2 }, inside), ...names];
}

export type SeriesEnds = {
  series: readonly TimeSeries[];
  labels: readonly EndLabel[];
  ghosts: readonly (readonly SeriesPoint[])[];
  ghostLabel: string | undefined;
  nowS: number | undefined;
};

function weightOf({ isStrong }: EndLabel): 400 | 600 {
  return isStrong ? 600 : 400;
}

/** Markers on the last points, the line of now, and labels that keep clear of each other. */
export function drawSeriesEnds(theme: ChartTheme, { x, y, area, width }: Plot, ends: SeriesEnds): SvgNode[] {
  const { series, labels, ghosts, ghostLabel, nowS } = ends;
  const { top, bottom, left, right } = area;
  const lasts = series.flatMap(({ treatment, isLead, points }) => {
    const last = points.at(-1);
    return last ? [{ treatment, isLead, x: x(last.t), y: y(last.v) }] : [];
  });
  const ghostEnd = ghosts[0]?.at(-1);
  const end = Math.max(left, ...lasts.map((last) => last.x));
  // The lead's label stands above the earlier repetitions that run on behind it.
  const lift = ({ isStrong }: EndLabel) => (isStrong && ghosts.length > 0 ? 11 : 0);
  const places = spreadLabels(
    labels.map((one) => Math.min(bottom, Math.max(top, y(one.value) - lift(one)))),
    { gap: 14, min: top + 4, max: bottom - 6 },
  );
  const longest = widest(labels.map((one) => theme.widthOf(one.text, weightOf(one))));
  // Where the longest would be cut by the edge, all of them stand before the end of the line.
  const isBefore = end + 9 + longest > width;
  return [
    ...(nowS === undefined
      ? []
      : [line({ from: [x(nowS), top], to: [x(nowS), bottom], stroke: theme.ghost })]),
    ...lasts.map(({ treatment, isLead, ...at }) =>
      faded(treatment.isDimmed, [marker(theme, treatment.index, { ...at, size: isLead ? 4.5 : 3.2 })]),
    ),
    ...(ghostLabel && ghostEnd
      ? [
          label(ghostLabel, {
            x: Math.min(right + 6, x(ghostEnd.t) + 6),
            y: y(ghostEnd.v),
            fill: theme.text2,
          }),
        ]
      : []),
    ...labels.map((one, i) =>
      faded(one.isDimmed, [
        label(one.text, {
          x: isBefore ? end - 9 : end + 9,
          y: places[i] ?? 0,
          anchor: isBefore ? 'end' : 'start',
          weight: weightOf(one),
          fill: one.index ? colourOf(theme, one.index) : one.isStrong ? theme.text : theme.text2,
          halo: theme.surface,
        }),
      ]),
    ),
  ];
}
