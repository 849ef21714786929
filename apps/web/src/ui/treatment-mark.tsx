import { markerPath } from '@mqttlab/charts/drawing/marker-path';
import { dashes } from '@mqttlab/charts/drawing/palette';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { ReactElement } from 'react';
import styles from './treatment-mark.module.css';

/** Who a series, box or cell belongs to: the same on every page. */
export type TreatmentIdentity = {
  /** Stored with the level; picks colour, dash and marker. 1 is the baseline. */
  index: number;
  /** Full name: "TLS 1.3 · AES-256-GCM · QoS 2". */
  label: string;
  /** What panel and column do not say already: "TLS 1.3 · AES-256-GCM". */
  shortLabel: string;
  /** Where charts let it be chosen. */
  id?: string;
  /** Steps back, because others were chosen to stand out. */
  isDimmed?: boolean;
};

export const TREATMENT_STYLES = 8;

/** The style, 1 to 8, for any index; beyond eight the styles repeat. */
export function treatmentStyle(index: number): number {
  const whole = Math.max(1, Math.round(index));
  return ((whole - 1) % TREATMENT_STYLES) + 1;
}

export function treatmentDash(index: number): readonly number[] {
  return dashes[treatmentStyle(index) - 1] ?? [];
}

type TreatmentMarkProps = {
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

/** A Treatment as charts know it; under the name of its row only what the row does not say. */
export function identityOf(treatment: Treatment, isUnderRow = false): TreatmentIdentity {
  const { mark, label, shortLabel, colourLabel } = treatment;
  return { index: mark, label, shortLabel: isUnderRow ? colourLabel : shortLabel };
}
