import type { Series } from '../domain/runs/role-result.ts';

/** What adds up over devices that share a role; of everything else their mean says more. */
const additive: ReadonlySet<string> = new Set(['messages.rate', 'wire.rate', 'energy.power']);

/**
 * One series for each device of a role in one Run, ready to be averaged over them: rates and power are taken times the
 * number of devices, so that their mean is the sum. Pure.
 */
export function eachInFull(devices: readonly Series[]): Series[] {
  return devices.map((series) =>
    devices.length > 1 && additive.has(series.metric)
      ? { ...series, values: series.values.map((value) => (value === null ? null : value * devices.length)) }
      : series,
  );
}
