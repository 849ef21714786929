import { markerPath } from '@mqttlab/shared/figures/drawing/marker-path';
import type { ReactElement } from 'react';
import { treatmentDash, treatmentStyle } from './treatment.ts';
import styles from './treatment-mark.module.css';

export type TreatmentMarkProps = {
  /** The treatment's index; 1 is the baseline. */
  index: number;
  /** `line`: dash with its marker, 24 wide. `dot`: marker only, 12 wide. */
  variant?: 'line' | 'dot';
};

/** Decorative: the treatment's name always stands beside it. */
export function TreatmentMark({ index, variant = 'line' }: TreatmentMarkProps): ReactElement {
  const style = treatmentStyle(index);
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

/** The hollow diamond of a value from a published study. */
export function PublishedMark(): ReactElement {
  const { d } = markerPath(4, { x: 6, y: 6, size: 3.6 });
  return (
    <svg className={styles.mark} width="12" height="12" viewBox="0 0 12 12" aria-hidden>
      <path className={styles.published} d={d} />
    </svg>
  );
}
