import { markerPath } from '@mqttlab/charts/drawing/marker-path';
import { dashes, styleOf } from '@mqttlab/charts/drawing/palette';
import type { TreatmentIdentity } from '@mqttlab/charts/drawing/treatments';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { ReactElement } from 'react';
import styles from './treatment-mark.module.css';

export type { TreatmentIdentity };

export const TREATMENT_STYLES = 8;

export function treatmentDash(index: number): readonly number[] {
  return dashes[styleOf(index) - 1] ?? [];
}

type TreatmentMarkProps = {
  /** The treatment's index; 1 is the baseline. */
  index: number;
  /** `line` is a dash with its marker, 24 px wide. `dot` is only the marker, 12 px wide. */
  variant?: 'line' | 'dot';
};

/** Decorative, because it is always next to the treatment's name. */
export function TreatmentMark({ index, variant = 'line' }: TreatmentMarkProps): ReactElement {
  const style = styleOf(index);
  const width = variant === 'line' ? 24 : 12;
  const size = variant === 'line' ? 3.6 : 4;
  const { d, isStroke } = markerPath(style, { x: width / 2, y: 6, size });
  return (
    <svg
      className={styles.mark}
      data-t={style}
      width={width}
      height="12"
      viewBox={`0 0 ${width} 12`}
      aria-hidden
    >
      {variant === 'line' && (
        <path className={styles.line} d={`M0 6H${width}`} strokeDasharray={treatmentDash(index).join(' ')} />
      )}
      <path className={isStroke ? styles.line : styles.fill} d={d} />
    </svg>
  );
}

/** Returns a treatment's identity for charts. Its label omits levels that the row name already contains. */
export function identityOf(treatment: Treatment, isUnderRow = false): TreatmentIdentity {
  const { mark, label, shortLabel, colourLabel } = treatment;
  return { index: mark, label, shortLabel: isUnderRow ? colourLabel : shortLabel };
}
