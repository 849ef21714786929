import { markerPath } from '@mqttlab/charts/drawing/marker-path';
import { pathThrough } from '@mqttlab/charts/drawing/marks';
import { styleOf } from '@mqttlab/charts/drawing/palette';
import type { ReactElement } from 'react';
import styles from './sparkline.module.css';

export type SparklineProps = {
  /** Accessible name: "CPU of the broker, last 23 s". */
  label: string;
  treatmentIndex: number;
  values: readonly number[];
  /** Fixed range, so that rows can be compared; the values' own otherwise. */
  range?: readonly [number, number];
  /** The number of values when the line will be full; its future is left empty. */
  capacity?: number;
  widthPx?: number;
  heightPx?: number;
};

/** A small line with a marker at its last value; SVG, so that lists need no chart code. */
export function Sparkline(props: SparklineProps): ReactElement {
  const { label, treatmentIndex, values, widthPx = 96, heightPx = 22 } = props;
  const style = styleOf(treatmentIndex);
  const { d, end } = linePath(values, {
    width: widthPx,
    height: heightPx,
    ...(props.range ? { range: props.range } : {}),
    ...(props.capacity === undefined ? {} : { capacity: props.capacity }),
  });
  const marker = end && markerPath(style, { ...end, size: 2.6 });
  return (
    <svg
      className={styles.spark}
      data-t={style}
      width={widthPx}
      height={heightPx}
      viewBox={`0 0 ${widthPx} ${heightPx}`}
      role="img"
      aria-label={label}
    >
      <path className={styles.base} d={`M0 ${heightPx - 0.5}H${widthPx}`} />
      {d && <path className={styles.line} d={d} />}
      {marker && <path className={marker.isStroke ? styles.line : styles.fill} d={marker.d} />}
    </svg>
  );
}

/** One treatment's mean with its interval; all values above zero. */
export type SparkMark = { index: number; value: number; lo: number; hi: number };

export type TreatmentSparklineProps = {
  label: string;
  marks: readonly SparkMark[];
  /** Marks joined by a line, in runs of this many: levels of an ordered factor. */
  groupSize?: number;
  widthPx?: number;
  heightPx?: number;
};

/** Mean and interval of each treatment on a logarithm, for a result in a list row. */
export function TreatmentSparkline(props: TreatmentSparklineProps): ReactElement {
  const { label, marks, groupSize = marks.length, widthPx = 96, heightPx = 36 } = props;
  const { placed, links } = sparkMarks(marks, { width: widthPx, height: heightPx, groupSize });
  return (
    <svg
      className={styles.spark}
      width={widthPx}
      height={heightPx}
      viewBox={`0 0 ${widthPx} ${heightPx}`}
      role="img"
      aria-label={label}
    >
      <path className={styles.base} d={`M0 ${heightPx - 0.5}H${widthPx}`} />
      {links.map((d) => (
        <path key={d} className={styles.link} d={d} />
      ))}
      {placed.map((mark) => {
        const style = styleOf(mark.index);
        const shape = markerPath(style, { x: mark.x, y: mark.y, size: 2.6 });
        return (
          <g key={mark.x} data-t={style}>
            <path className={styles.line} d={`M${mark.x} ${mark.yLo}V${mark.yHi}`} />
            <path className={shape.isStroke ? styles.line : styles.fill} d={shape.d} />
          </g>
        );
      })}
    </svg>
  );
}

type SparkBox = { width: number; height: number } & Pick<SparklineProps, 'range' | 'capacity'>;

type SparkLine = { d: string; end: { x: number; y: number } | null };

const PAD = 4;

/** SVG path of the values in a box, and its last point. */
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

type PlacedMark = { index: number; x: number; y: number; yLo: number; yHi: number };

type MarkBox = { width: number; height: number; groupSize: number };

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
