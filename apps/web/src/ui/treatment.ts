import { dashes } from '@mqttlab/shared/figures/drawing/palette';

/** Who a series, box or cell belongs to: the same on every page. */
export type TreatmentIdentity = {
  /** Stored with the level; picks colour, dash and marker. 1 is the baseline. */
  index: number;
  /** Full name: "TLS 1.3 AES-256-GCM". */
  label: string;
  /** The one agreed short name: "AES-256". */
  shortLabel: string;
  /** A second, dimmed line under the short name: "TLS 1.3". */
  detail?: string;
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
