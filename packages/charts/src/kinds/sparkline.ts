import { dot, pathThrough, rule } from '../drawing/marks.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';

export interface SparklineData {
  /** Text alternative: "CPU of the broker, last 23 s". */
  label: string;
  treatmentIndex: number;
  values: readonly number[];
  /** Fixed range that several rows share; by default the range of the values. */
  range?: readonly [number, number];
  /** Number of values in a full line. Space for missing values stays empty. */
  capacity?: number;
  widthPx?: number;
}

const defaultPx = 96;
const markerPx = 2.6;
const lineWidth = 1.5;

/** Draws a sparkline with a marker at its last value. */
export function drawSparkline(palette: Palette, data: SparklineData): Picture {
  const { label, values, treatmentIndex: mark, widthPx = defaultPx, range, capacity } = data;
  const size = { width: widthPx, height: 22 };
  const { d, end } = linePath(values, { ...size, range, capacity });
  const stroke = colourOf(palette, mark);
  return {
    ...size,
    label,
    nodes: [
      base(palette, size),
      ...(d
        ? [el('path', { d, fill: 'none', stroke, strokeWidth: lineWidth, strokeLinejoin: 'round' })]
        : []),
      ...(end ? [dot(palette, mark, { ...end, size: markerPx })] : []),
    ],
  };
}

/** Mean of one treatment with its interval; all values are above zero. */
export interface SparkMark {
  index: number;
  value: number;
  lo: number;
  hi: number;
}

export interface TreatmentSparkData {
  label: string;
  marks: readonly SparkMark[];
  /** Number of neighbouring marks that are joined by a line, for the levels of an ordered factor. */
  groupSize?: number;
  widthPx?: number;
}

/** Draws the mean and interval of each treatment on a logarithmic axis, for a result in a list row. */
export function drawTreatmentSparkline(palette: Palette, data: TreatmentSparkData): Picture {
  const { label, marks, groupSize = marks.length, widthPx = defaultPx } = data;
  const size = { width: widthPx, height: 36 };
  const { placed, links } = sparkMarks(marks, { ...size, groupSize });
  return {
    ...size,
    label,
    nodes: [
      base(palette, size),
      ...links.map((d) => el('path', { d, fill: 'none', stroke: palette.axis })),
      ...placed.flatMap(({ index, x, y, yLo, yHi }) => [
        rule({ from: [x, yLo], to: [x, yHi], stroke: colourOf(palette, index), width: lineWidth }),
        dot(palette, index, { x, y, size: markerPx }),
      ]),
    ],
  };
}

interface Size {
  width: number;
  height: number;
}

function base({ grid }: Palette, { width, height }: Size): SvgNode {
  return rule({ from: [0, height - 0.5], to: [width, height - 0.5], stroke: grid });
}

interface SparkBox extends Size {
  range?: SparklineData['range'] | undefined;
  capacity?: number | undefined;
}

interface SparkPath {
  d: string;
  end: { x: number; y: number } | null;
}

/** Space for the marker at the end of a line, in px. */
const padding = 4;

/** Returns the SVG path of the values in a box, and its last point. */
export function linePath(values: readonly number[], box: SparkBox): SparkPath {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return { d: '', end: null };
  const [lo, hi] = box.range ?? [Math.min(...finite), Math.max(...finite)];
  const span = hi - lo || 1;
  const slots = Math.max(1, (box.capacity ?? values.length) - 1);
  const points = values.map((value, i) => ({
    x: round((i / slots) * (box.width - padding)),
    y: round(box.height - padding - ((value - lo) / span) * (box.height - 2 * padding)),
  }));
  return { d: pathThrough(points.map(({ x, y }) => [x, y])), end: points.at(-1) ?? null };
}

interface PlacedMark {
  index: number;
  x: number;
  y: number;
  yLo: number;
  yHi: number;
}

/**
 * Places marks from left to right on a logarithmic axis, with a small gap between groups, and the lines that
 * join each group.
 */
export function sparkMarks(
  marks: readonly SparkMark[],
  box: Size & { groupSize: number },
): { placed: PlacedMark[]; links: string[] } {
  const usable = marks.filter((mark) => mark.value > 0 && mark.lo > 0 && mark.hi > 0);
  if (usable.length === 0) return { placed: [], links: [] };
  const lo = Math.log(Math.min(...usable.map((mark) => mark.lo)));
  const hi = Math.log(Math.max(...usable.map((mark) => mark.hi)));
  const y = (value: number) =>
    round(box.height - 5 - ((Math.log(value) - lo) / (hi - lo || 1)) * (box.height - 10));
  const size = Math.max(1, box.groupSize);
  const gaps = Math.ceil(usable.length / size) - 1;
  const step = (box.width - 10 - gaps * 4) / Math.max(1, usable.length - 1);
  const placed = usable.map((mark, i) => ({
    index: mark.index,
    x: round(5 + i * step + Math.floor(i / size) * 4),
    y: y(mark.value),
    yLo: y(mark.lo),
    yHi: y(mark.hi),
  }));
  const links: string[] = [];
  for (let from = 0; size > 1 && from < placed.length; from += size) {
    const group = placed.slice(from, from + size);
    links.push(pathThrough(group.map(({ x, y: at }) => [x, at])));
  }
  return { placed, links };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
