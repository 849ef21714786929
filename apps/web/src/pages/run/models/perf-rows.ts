import type { PerfCounters } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { type RunDevice, runDevices } from './run-devices.ts';

export interface PerfRow extends PerfCounters, RunDevice {
  /** Instructions for each cycle. */
  perCycle: number | null;
  /** Of the references to the last cache, 0 to 1. */
  missRatio: number | null;
}

/** Devices whose kernel lets hardware counters be read. */
export function perfRows(run: Pick<RunDetail, 'results'>): PerfRow[] {
  return runDevices(run).flatMap(({ result: { perf }, ...device }) => {
    if (!perf || Object.values(perf).every((value) => value === null)) return [];
    return [
      {
        ...device,
        ...perf,
        perCycle: ratio(perf.instructions, perf.cycles),
        missRatio: ratio(perf.cacheMisses, perf.cacheReferences),
      },
    ];
  });
}

function ratio(part: number | null, whole: number | null): number | null {
  return part === null || !whole ? null : part / whole;
}
