import { pathThrough } from '@mqttlab/charts/drawing/shapes';

export type SparkBox = {
  width: number;
  height: number;
  range?: readonly [number, number];
  capacity?: number;
};

export type SparkLine = { d: string; end: { x: number; y: number } | null };

const PAD = 4;

/** SVG path of the values in a box, and where its last point lies. */
export function linePath(values: readonly number[], box: SparkBox): SparkLine {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return { d: '', end: null };
  const [lo, hi] = box.range ?? [Math.min(...finite), Math.max(...finite)];
  const span = hi - lo || 1;
  const slots = Math.max(1, (box.capacity ?? values.length) - 1);
  const points = values.map((value, i) => ({
    x: round((i / slots) * (box.width - PAD)),
    y: round(box.height - PAD - ((value - lo) / span) * (box.height - 2 * PAD)),
  }));
  const d = pathThrough(points.map(({ x, y }) => [x, y]));
  return { d, end: points.at(-1) ?? null };
}

/** One treatment's mean with its interval; all values above zero. */
export type SparkMark = { index: number; value: number; lo: number; hi: number };

export type PlacedMark = { index: number; x: number; y: number; yLo: number; yHi: number };

export type MarkBox = { width: number; height: number; groupSize: number };

/** Marks from left to right on a logarithm, a small gap between groups, and the lines that join each group. */
export function sparkMarks(
  marks: readonly SparkMark[],
  box: MarkBox,
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
