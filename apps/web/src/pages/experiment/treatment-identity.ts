import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';

/** A Treatment as charts know it. */
export function identityOf(treatment: Treatment): TreatmentIdentity {
  return {
    index: treatment.mark,
    label: treatment.label,
    shortLabel: treatment.shortLabel,
    ...(treatment.rowLabel === '' ? {} : { detail: treatment.rowLabel }),
  };
}
