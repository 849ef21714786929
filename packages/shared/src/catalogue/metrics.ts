import type { MetricDefinition, RunEvidence } from '../domain/runs/verdict.ts';
import { availabilityMetrics } from './metrics/availability.ts';
import { bridgeMetrics } from './metrics/bridge.ts';
import { clockMetrics } from './metrics/clock.ts';
import { connectionMetrics } from './metrics/connections.ts';
import { cpuAndMemoryMetrics } from './metrics/cpu-and-memory.ts';
import { deliveryMetrics } from './metrics/delivery.ts';
import { deviceMetrics } from './metrics/device.ts';
import { energyMetrics } from './metrics/energy.ts';
import { exchangeMetrics } from './metrics/exchange.ts';
import { generatorMetrics } from './metrics/generator.ts';
import { latencyMetrics } from './metrics/latency.ts';
import { payloadMetrics } from './metrics/payload.ts';
import { publisherMetrics } from './metrics/publishers.ts';
import { readingAgeMetrics } from './metrics/reading-age.ts';
import { setUpMetrics } from './metrics/set-up.ts';
import { tcpMetrics } from './metrics/tcp.ts';

/** All metrics, in the order of tables. */
export const metrics: readonly MetricDefinition[] = [
  ...latencyMetrics,
  ...exchangeMetrics,
  ...publisherMetrics,
  ...readingAgeMetrics,
  ...setUpMetrics,
  ...connectionMetrics,
  ...availabilityMetrics,
  ...deliveryMetrics,
  ...tcpMetrics,
  ...payloadMetrics,
  ...bridgeMetrics,
  ...cpuAndMemoryMetrics,
  ...energyMetrics,
  ...deviceMetrics,
  ...generatorMetrics,
  ...clockMetrics,
];

export function findMetric(id: string): MetricDefinition | undefined {
  return metrics.find((metric) => metric.id === id);
}

/** Computes every metric of a run; a metric is null if the evidence lacks its data. */
export function summariseMetrics(evidence: RunEvidence): Record<string, number | null> {
  return Object.fromEntries(metrics.map((metric) => [metric.id, metric.from(evidence)]));
}
