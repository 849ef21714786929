import type { Collector } from './collector.ts';
import { readGroupProportionalBytes } from './process-group.ts';
import { makeFrequencyCollector, makeTemperatureCollector } from './thermal.ts';

export interface SlowCollectorOptions {
  procRoot: string;
  sysRoot: string;
  /** Empty where the processes are not known. */
  pids: readonly number[];
}

/** What changes slowly or costs much to read: once a second at most. */
export function makeSlowCollectors({ procRoot, sysRoot, pids }: SlowCollectorOptions): Collector[] {
  return [
    ...(pids.length === 0 ? [] : [makeProportionalMemoryCollector(procRoot, pids)]),
    makeTemperatureCollector(sysRoot),
    makeFrequencyCollector(sysRoot),
  ].filter((collector) => collector !== null);
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
