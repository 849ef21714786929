import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';

const fieldNames: Readonly<Record<string, string>> = {
  testbedId: 'testbed',
  workload: 'workload',
  sampleHz: 'sample rate',
};

/** In words, the fields in which two drafts differ; factors by their own names. */
export function changedFields(a: ExperimentDraft, b: ExperimentDraft): string[] {
  const differs = (x: unknown, y: unknown) => JSON.stringify(x) !== JSON.stringify(y);
  const ids = new Set([...Object.keys(a.factors), ...Object.keys(b.factors)]);
  const factors = [...ids].filter((id) => differs(a.factors[id], b.factors[id]));
  const fields = (Object.keys(a) as (keyof ExperimentDraft)[]).filter(
    (field) => field !== 'factors' && differs(a[field], b[field]),
  );
  return [
    ...fields.map((field) => fieldNames[field] ?? field),
    ...factors.map((id) => findFactor(id)?.label.toLowerCase() ?? id),
  ];
}
