import type { MetricDefinition } from '../../domain/runs/verdict.ts';

/** Latency alone, its quantiles and the age of readings. */
export function latencies({ group }: MetricDefinition): boolean {
  return group === 'latency';
}

/** Quantiles of durations: messages and connections. */
export function quantiles({ group }: MetricDefinition): boolean {
  return group === 'latency' || group === 'set-up';
}

const countedUnits: readonly string[] = [
  'B',
  'messages',
  'frames',
  'segments',
  'connections',
  'packets',
  'events',
  '×',
];

/**
 * Everything that takes time or power, rates among them. Not what is counted: bytes on the wire and in memory, and
 * messages stay what they are however busy, hot or cold a device is.
 */
export function timesAndPower({ group, unit }: MetricDefinition): boolean {
  if (isRate(unit)) return true;
  return group !== 'traffic' && group !== 'memory' && !countedUnits.includes(unit);
}

function isRate(unit: string): boolean {
  return /\/(s|min)$/.test(unit);
}

/** What a growing queue changes: how long messages wait and how much memory they take; not how many get through. */
export function queueing({ group }: MetricDefinition): boolean {
  return group === 'latency' || group === 'memory';
}

/** Bytes on the wire in relation to messages or to their payload: they hold a share of the TLS records. */
export function bytesPerMessage({ id }: MetricDefinition): boolean {
  return id === 'wire.perMessage' || id === 'wire.overhead';
}
