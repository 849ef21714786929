// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import { formatNumber } from '@mqttlab/shared/format/number';
import { cropAxis, fixedAxis, logAxis, niceAxis } from '../drawing/axis.ts';
import type { Figure, Plot } from '../drawing/figure.ts';
import { spreadLabels } from '../drawing/labels.ts';
import { band, bar, clipped, dot, faded, label, pathThrough, rule, shade } from '../drawing/marks.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { el, type SvgNode } from '../drawing/svg.ts';
import { textWidth, widest } from '../drawing/text-width.ts';
import type { TreatmentIdentity } from '../drawing/treatments.ts';
import { columnsOf, type DocumentTable } from '../table.ts';

export interface SeriesPoint {
  /** Seconds since the measure phase began; negative in the warm-up. */
  t: number;
  v: number;
}

/** The range from P5 to P95, or a confidence band, at one instant. */
export interface BandPoint {
  t: number;
  lo: number;
  hi: number;
}

export interface TimeSeries {
  treatment: TreatmentIdentity;
  /** Written at the line's end; by default the treatment's short name. */
  name?: string;
  points: readonly SeriesPoint[];
  band?: readonly BandPoint[];
  /** Drawn thicker and above the others. */
  isLead?: boolean;
}

/** A named phase: warm-up, drain. */
export interface SeriesPhase {
  from: number;
  to: number;
  name: string;
  isShaded: boolean;
}

/** Maximum number of points drawn; more points than pixels are invisible. */
export const MAX_POINTS = 600;

export function decimateSeries(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  return decimate(points, MAX_POINTS);
}

/**
 * Keeps at most `limit` points with the shape of the series: Largest Triangle Three Buckets (Steinarsson
 * 2013). The first and the last point are always included.
 */
export function decimate(points: readonly SeriesPoint[], limit: number): readonly SeriesPoint[] {
  const n = points.length;
  if (n <= limit || limit < 3) return points;
  const kept: SeriesPoint[] = [points[0]!];
  const size = (n - 2) / (limit - 2);
  let last = points[0]!;
  for (let bucket = 0; bucket < limit - 2; bucket += 1) {
    const from = Math.floor(bucket * size) + 1;
    const to = Math.floor((bucket + 1) * size) + 1;
    const after = average(points, to, Math.min(n, Math.floor((bucket + 2) * size) + 1));
    let best = points[from]!;
    let bestArea = -1;
    for (let i = from; i < to; i += 1) {
      const point = points[i]!;
      const area = Math.abs(
        (last.t - after.t) * (point.v - last.v) - (last.t - point.t) * (after.v - last.v),
      );
      if (area > bestArea) {
        bestArea = area;
        best = point;
      }
    }
    kept.push(best);
    last = best;
  }
  kept.push(points[n - 1]!);
  return kept;
}

function average(points: readonly SeriesPoint[], from: number, to: number): SeriesPoint {
  let t = 0;
  let v = 0;
  for (let i = from; i < to; i += 1) {
    t += points[i]!.t;
    v += points[i]!.v;
  }
  const count = Math.max(1, to - from);
  return { t: t / count, v: v / count };
}

/** Merges neighbouring band points into points with their lowest and highest value. */
export function decimateBand(band: readonly BandPoint[]): readonly BandPoint[] {
  const size = Math.ceil(band.length / MAX_POINTS);
  if (size <= 1) return band;
  const kept: BandPoint[] = [];
  for (let i = 0; i < band.length; i += size) {
    const part = band.slice(i, i + size);
    const first = part[0];
    if (!first) continue;
    kept.push({
      t: first.t,
      lo: Math.min(...part.map((point) => point.lo)),
      hi: Math.max(...part.map((point) => point.hi)),
    });
  }
  return kept;
}

/** Returns one row per series and instant, undecimated. */
export function timeSeriesTable({ unit, series }: Pick<SeriesData, 'unit' | 'series'>): DocumentTable {
  const hasBand = series.some((one) => one.band !== undefined);
  return {
    columns: columnsOf(
      'Series',
      ['Time', 's'],
      ['Value', unit],
      hasBand && ['Band from', unit],
      hasBand && ['Band to', unit],
    ),
    rows: series.flatMap((one) => {
      const bands = new Map(one.band?.map((point) => [point.t, point]));
      return one.points.map(({ t, v }) => {
        const band = bands.get(t);
        const name = one.name ?? one.treatment.label;
        return hasBand ? [name, t, v, band?.lo ?? null, band?.hi ?? null] : [name, t, v];
      });
    }),
  };
}

/** A label next to the plot: "P50 8.2 ms" at the height of 8.2. */
export interface EndLabel {
  text: string;
  /** null before the first value; the label is then in the middle. */
  value: number | null;
  isStrong?: boolean;
  /** Index of the treatment whose colour the label has. */
  index?: number;
  isDimmed?: boolean;
}

export interface SeriesData {
  label: string;
  /** Unit of the values, for tooltips. */
  unit: string;
  /**
   * Fixed axis ranges, so that new points cause no layout shift. x is in seconds, negative in the warm-up.
   */
  xRange: readonly [number, number];
  yRange: readonly [number, number];
  /** Whether the y axis is logarithmic; both ends of its range must be above zero. */
  isLog?: boolean;
  series: readonly TimeSeries[];
  /** Earlier repetitions, in grey behind the series. */
  ghosts?: readonly (readonly SeriesPoint[])[];
  /** Range of the earlier repetitions as a grey band, for small panels. */
  ghostBand?: readonly BandPoint[];
  phases?: readonly SeriesPhase[];
  /** An upright line at the current time. */
  nowS?: number;
  /** Labels at the ends of the lines; by default the names of the series, if there are several. */
  endLabels?: readonly EndLabel[];
  heightPx?: number;
  /** Whether series differ in dash and colour, for several series in one panel. */
  dashed?: boolean;
  /** Whether x labels are shown; of stacked panels, only the last one shows them. */
  showsX?: boolean;
  showsY?: boolean;
  /** Approximate number of steps on the y axis. */
  ySteps?: number;
  /** Space on the right of the plot. Labels that do not fit there are placed at the ends of the lines. */
  rightPx?: number;
  /** Width of the y axis, if a chart below needs a wider one. */
  leftPx?: number;
}

/** Describes lines over time with bands, shaded phases, earlier repetitions and labels at the ends. */
export function describeSeries(palette: Palette, data: SeriesData): Figure {
  const { label, unit, xRange, yRange, series, isLog = false, dashed = false, nowS, endLabels } = data;
  const { ghosts = [], ghostBand = [], phases = [], heightPx = 164 } = data;
  const { showsX = true, showsY = true, ySteps = 4, rightPx = 8, leftPx = 0 } = data;
  const [xMin, xMax] = xRange;
  const [yMin, yMax] = yRange;
  const y = isLog ? logAxis([yMin, yMax]) : fixedAxis({ min: yMin, max: yMax, steps: ySteps });
  // The width is 28 px for three digits and 6 px per additional character, so that numbers of equal length
  // align.
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
      top: hasHead(data) ? headPx : 10,
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
    below: (plot) => drawSeriesGround(palette, plot, { series, ghosts, ghostBand, phases }),
    above: (plot) =>
      drawSeriesEnds(palette, plot, {
        series,
        labels: endLabels ?? (series.length > 1 ? names : []),
        unit,
        yMax: y.max,
        nowS,
      }),
  };
}

/** Space above the plot, which no line crosses, for the names of phases and the value of a cut peak. */
const headPx = 18;

/** Returns true if the plot needs space above it. The result does not change while points are added. */
function hasHead({ series, phases = [] }: SeriesData): boolean {
  return phases.some(({ name }) => name !== '') || series.some((one) => one.band !== undefined);
}

interface SeriesGround {
  series: readonly TimeSeries[];
  ghosts: readonly (readonly SeriesPoint[])[];
  ghostBand: readonly BandPoint[];
  phases: readonly SeriesPhase[];
}

/** Draws the marks behind the lines: phases, bands and earlier repetitions. */
function drawSeriesGround(palette: Palette, { x, y, area }: Plot, ground: SeriesGround): SvgNode[] {
  const { series, ghosts, ghostBand, phases } = ground;
  const { top, bottom } = area;
  const spans = (points: readonly BandPoint[]) =>
    decimateBand(points).map(({ t, lo, hi }) => ({ x: x(t), lo: y(lo), hi: y(hi) }));
  const inside = [
    ...phases
      .filter(({ isShaded }) => isShaded)
      .map(({ from, to }) => bar({ left: x(from), right: x(to), top, bottom }, { fill: palette.shade })),
    ...shade(spans(ghostBand), { fill: palette.ghost, fillOpacity: 0.4 }),
    ...series.flatMap(({ treatment, band: own = [] }) =>
      treatment.isDimmed ? [] : band(palette, treatment.index, spans(own)),
    ),
    ...ghosts.map((ghost) =>
      el('path', {
        d: pathThrough(decimateSeries(ghost).map(({ t, v }) => [x(t), y(v)])),
        fill: 'none',
        stroke: palette.ghost,
      }),
    ),
  ];
  const names = phases
    // The last name may extend beyond the plot.
    .filter(
      ({ name, from, to }, i) => name && (i === phases.length - 1 || x(to) - x(from) >= textWidth(name) + 8),
    )
    .map(({ name, from }) => label(name, { x: x(from) + 4, y: top - 8, fill: palette.text3 }));
  return [clipped({ ...area, top: top - 2 }, inside), ...names];
}

interface SeriesEnds {
  series: readonly TimeSeries[];
  labels: readonly EndLabel[];
  unit: string;
  /** End of the y axis. */
  yMax: number;
  nowS: number | undefined;
}

function weightOf({ isStrong }: EndLabel): 400 | 600 {
  return isStrong ? 600 : 400;
}

/** Gap between a line's end, or the plot, and its label. */
const labelGap = 9;

/**
 * Draws markers on the last points, a rule at the current time, peaks above the axis, and labels that do not
 * overlap.
 */
function drawSeriesEnds(palette: Palette, plot: Plot, ends: SeriesEnds): SvgNode[] {
  const { series, labels, nowS } = ends;
  const { x, y, area, width } = plot;
  const { top, bottom, left, right } = area;
  const lasts = series.flatMap(({ treatment, isLead, points }) => {
    const last = points.at(-1);
    return last ? [{ treatment, isLead, x: x(last.t), y: y(last.v) }] : [];
  });
  const places = spreadLabels(
    labels.map(({ value }) =>
      value === null ? (top + bottom) / 2 : Math.min(bottom, Math.max(top, y(value))),
    ),
    { gap: 15, min: top + 4, max: bottom - 6 },
  );
  const longest = widest(labels.map((one) => textWidth(one.text, { weight: weightOf(one) })));
  const end = Math.max(left, ...lasts.map((last) => last.x));
  // Labels next to the plot cannot be crossed by a line. Otherwise a label is placed at the end of its line,
  // on the left if the edge would clip it.
  const isBeside = right + labelGap + longest <= width;
  const isBefore = !isBeside && end + labelGap + longest > width;
  const labelX = isBeside ? right + labelGap : isBefore ? end - labelGap : end + labelGap;
  return [
    ...(nowS === undefined
      ? []
      : [rule({ from: [x(nowS), top], to: [x(nowS), bottom], stroke: palette.ghost })]),
    ...lasts.map(({ treatment, isLead, ...at }) =>
      faded(treatment.isDimmed, [dot(palette, treatment.index, { ...at, size: isLead ? 4.5 : 3.2 })]),
    ),
    ...drawPeaks(palette, plot, ends),
    ...labels.map((one, i) =>
      faded(one.isDimmed, [
        label(one.text, {
          x: labelX,
          y: places[i] ?? 0,
          anchor: isBefore ? 'end' : 'start',
          weight: weightOf(one),
          fill: one.index ? colourOf(palette, one.index) : one.isStrong ? palette.text : palette.text2,
          ...(isBeside ? {} : { halo: palette.surface }),
        }),
      ]),
    ),
  ];
}

/** Returns the highest value of each part of a series that is above the axis. */
export function peaksAbove({ points, band = [] }: TimeSeries, top: number): SeriesPoint[] {
  const values = band.length > 0 ? band.map(({ t, hi }) => ({ t, v: hi })) : points;
  const peaks: SeriesPoint[] = [];
  let isAbove = false;
  for (const point of values) {
    const last = peaks.at(-1);
    if (point.v <= top) isAbove = false;
    else if (!isAbove || last === undefined) {
      peaks.push(point);
      isAbove = true;
    } else if (point.v > last.v) peaks[peaks.length - 1] = point;
  }
  return peaks;
}

/** Half the width of a peak's mark, in px. */
const peakPx = 4;

/** Draws an arrow at the upper edge for each part above the axis, and the highest value above the plot. */
function drawPeaks(
  palette: Palette,
  { x, area }: Plot,
  { series, unit, yMax }: Pick<SeriesEnds, 'series' | 'unit' | 'yMax'>,
): SvgNode[] {
  const { top, right } = area;
  const peaks = series.flatMap((one) =>
    one.treatment.isDimmed
      ? []
      : peaksAbove(one, yMax).map((peak) => ({ ...peak, mark: one.treatment.index })),
  );
  if (peaks.length === 0) return [];
  const arrows = peaks.map(({ t, mark }) =>
    el('path', {
      d: `M${x(t) - peakPx} ${top + 6}L${x(t)} ${top}L${x(t) + peakPx} ${top + 6}Z`,
      fill: colourOf(palette, mark),
    }),
  );
  const highest = formatNumber(Math.max(...peaks.map(({ v }) => v)));
  return [
    clipped(area, arrows),
    label(`highest ${highest} ${unit}`, { x: right, y: top - 8, anchor: 'end', fill: palette.text2 }),
  ];
}
