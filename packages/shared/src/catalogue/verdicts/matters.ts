import type { MetricDefinition } from '../../domain/runs/verdict.ts';

/** True for latency, its quantiles and the age of readings. */
export function latencies({ group }: MetricDefinition): boolean {
  return group === 'latency';
}

/** True for quantiles of durations: messages and connections. */
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
 * True for metrics of time or power, including rates. Excludes counts such as bytes on the wire, memory and
 * messages, because they do not depend on how busy or hot a device is.
 */
export function timesAndPower({ group, unit }: MetricDefinition): boolean {
  if (isRate(unit)) return true;
  return group !== 'traffic' && group !== 'memory' && !countedUnits.includes(unit);
}

function isRate(unit: string): boolean {
  return /\/(s|min)$/.test(unit);
}

/** True for metrics affected by a growing queue: waiting times and memory, but not throughput. */
export function queueing({ group }: MetricDefinition): boolean {
  return group === 'latency' || group === 'memory';
}

/** True for wire bytes relative to messages or payload, which include a share of the TLS records. */
export function bytesPerMessage({ id }: MetricDefinition): boolean {
  return id === 'wire.perMessage' || id === 'wire.overhead';
}
