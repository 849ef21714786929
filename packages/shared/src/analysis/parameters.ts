import {
  type Protection,
  type ProtectionLevel,
  protectionLabels,
  protectionOf,
} from '../catalogue/ciphers/protection.ts';
import { isForeign } from '../catalogue/factors/foreign-treatment.ts';
import { resultFactors } from '../catalogue/factors.ts';
import type { TrialSpec } from '../domain/plans/trial-spec.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import type { Series } from '../domain/runs/role-result.ts';

export interface ParameterRow {
  id: string;
  label: string;
  /** One value per treatment; "–" if the factor does not apply. */
  values: string[];
  differs: boolean;
}

const none = '–';

/** Lists the parameters of all treatments side by side: factors, workload and protection. */
export function parameterRows(treatments: readonly ComparedTreatment[]): ParameterRow[] {
  const row = (id: string, label: string, pick: (entry: ComparedTreatment) => string): ParameterRow => {
    const values = treatments.map(pick);
    return { id, label, values, differs: new Set(values).size > 1 };
  };
  /** The specification of a foreign treatment is unknown. */
  const specRow = (id: string, label: string, pick: (spec: TrialSpec) => string): ParameterRow =>
    row(id, label, ({ treatment }) => (isForeign(treatment.levels) ? none : pick(treatment.spec)));
  return [
    ...resultFactors.map((factor) =>
      row(factor.id, factor.label, ({ treatment }) => {
        const level = treatment.levels[factor.id];
        return level === null || level === undefined ? none : factor.levelLabel(level);
      }),
    ),
    specRow('warmUpMs', 'Warm-up', (spec) => `${spec.warmUpMs / 1000} s`),
    specRow('measureMs', 'Measure', (spec) => `${spec.measureMs / 1000} s`),
    specRow('window', 'Window', (spec) => `${spec.window} messages`),
    ...(Object.keys(protectionLabels) as (keyof Protection)[]).map((key) =>
      specRow(key, protectionLabels[key], (spec) => levelInWords(protectionOf(spec)[key])),
    ),
  ];
}

function levelInWords(level: ProtectionLevel): string {
  return level.detail ?? level.level;
}

/** Series that are summed over devices with the same role. All other series are averaged. */
const additive: ReadonlySet<string> = new Set(['messages.rate', 'wire.rate', 'energy.power']);

/**
 * Returns one series per device with a role in one run, ready for averaging. Multiplies rates and power by
 * the number of devices, so that their mean is the sum. Pure.
 */
export function eachInFull(devices: readonly Series[]): Series[] {
  return devices.map((series) =>
    devices.length > 1 && additive.has(series.metric)
      ? { ...series, values: series.values.map((value) => (value === null ? null : value * devices.length)) }
      : series,
  );
}
