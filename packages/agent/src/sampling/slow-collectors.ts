import type { Collector } from './collector.ts';
import { readGroupProportionalBytes } from './process-group.ts';
import { makeFrequencyCollector, makeTemperatureCollector } from './thermal.ts';

export interface SlowCollectors {
  sampleHz: number;
  collectors: Collector[];
}

/** What changes slowly, and what costs half a millisecond to read: each as often as it deserves. */
export function makeSlowCollectors({
  procRoot,
  sysRoot,
  pids,
}: {
  procRoot: string;
  sysRoot: string;
  /** Empty where the processes are not known. */
  pids: readonly number[];
}): SlowCollectors[] {
  const device = [makeTemperatureCollector(sysRoot), makeFrequencyCollector(sysRoot)];
  const found = [
    { sampleHz: 1, collectors: device.filter((collector) => collector !== null) },
    { sampleHz: 0.2, collectors: pids.length === 0 ? [] : [makeProportionalMemoryCollector(procRoot, pids)] },
  ];
  return found.filter(({ collectors }) => collectors.length > 0);
}

/**
 * 'memory.proportional': proportional set size of a process and those that work for it in bytes, pages that are
 * shared counted by share. The kernel walks all their page tables for it.
 */
export function makeProportionalMemoryCollector(procRoot: string, pids: readonly number[]): Collector {
  return {
    name: 'memory.proportional',
    metrics: [{ metric: 'memory.proportional', unit: 'B' }],
    read: () => {
      const bytes = readGroupProportionalBytes(procRoot, pids);
      if (bytes === null) throw new Error('/proc/<pid>/smaps_rollup cannot be read');
      return [bytes];
    },
    close: () => {},
  };
}
