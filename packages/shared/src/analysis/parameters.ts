import {
  type Protection,
  type ProtectionLevel,
  protectionLabels,
  protectionOf,
} from '../catalogue/ciphers/protection.ts';
import { factors } from '../catalogue/factors.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';

export interface ParameterRow {
  id: string;
  label: string;
  /** One for each Treatment; "–" where the factor does not apply. */
  values: string[];
  differs: boolean;
}

const none = '–';

/** Every parameter of the Treatments side by side: factors, workload, and what each protects. */
export function parameterRows(treatments: readonly ComparedTreatment[]): ParameterRow[] {
  const row = (id: string, label: string, pick: (entry: ComparedTreatment) => string): ParameterRow => {
    const values = treatments.map(pick);
    return { id, label, values, differs: new Set(values).size > 1 };
  };
  return [
    ...factors.map((factor) =>
      row(factor.id, factor.label, ({ treatment }) => {
        const level = treatment.levels[factor.id];
        return level === null || level === undefined ? none : factor.levelLabel(level);
      }),
    ),
    row('warmUpMs', 'Warm-up', ({ treatment }) => `${treatment.spec.warmUpMs / 1000} s`),
    row('measureMs', 'Measure', ({ treatment }) => `${treatment.spec.measureMs / 1000} s`),
    row('window', 'Window', ({ treatment }) => `${treatment.spec.window} messages`),
    ...(Object.keys(protectionLabels) as (keyof Protection)[]).map((key) =>
      row(key, protectionLabels[key], ({ treatment }) => levelInWords(protectionOf(treatment.spec)[key])),
    ),
  ];
}

function levelInWords(level: ProtectionLevel): string {
  return level.detail ?? level.level;
}
