import { markerPath } from '@mqttlab/charts/drawing/marker-path';
import type { ReactElement } from 'react';
import { treatmentStyle } from '../ui/treatment-mark.tsx';
import { linePath, type SparkMark, sparkMarks } from './datasets/sparkline-data.ts';
import styles from './sparkline.module.css';

export type { SparkMark } from './datasets/sparkline-data.ts';

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
  const style = treatmentStyle(treatmentIndex);
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
        const style = treatmentStyle(mark.index);
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
