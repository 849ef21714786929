import type { MetricDefinition, Verdict } from '../domain/runs/verdict.ts';
import { findMetric } from './metrics.ts';
import { verdicts } from './verdicts.ts';

/** Returns the ids of the failed verdicts. */
export function failedIds(judged: readonly Pick<Verdict, 'id' | 'status'>[]): string[] {
  return judged.filter(({ status }) => status === 'failed').map(({ id }) => id);
}

/** Returns the fault of a failed verdict, or its label if the verdict no longer exists. */
export function flagName({ id, label }: Pick<Verdict, 'id' | 'label'>): string {
  return verdicts.find((verdict) => verdict.id === id)?.fault ?? label;
}

/** Returns the faults of the failed verdicts. */
export function faultNames(judged: readonly Pick<Verdict, 'id' | 'label' | 'status'>[]): string[] {
  return judged.filter(({ status }) => status === 'failed').map(flagName);
}

interface Judged {
  flagged: boolean;
  /** Ids of failed verdicts. If absent, the flag applies to every metric. */
  failed?: readonly string[] | undefined;
}

/**
 * True if a failed verdict of a run affects this metric, so that its value is excluded. A verdict that no longer exists
 * affects every metric.
 */
export function isFlaggedFor({ flagged, failed }: Judged, metric: MetricDefinition | undefined): boolean {
  if (!flagged || !failed?.length || metric === undefined) return flagged;
  return failed.some((id) => {
    const matters = verdicts.find((verdict) => verdict.id === id)?.matters;
    return matters === undefined || matters(metric);
  });
}

/** Rule of `isFlaggedFor`, in words. */
export const flagRule = 'a flagged run is excluded from the metrics that its failed verdicts affect';

/** Like `isFlaggedFor`, with the id of a metric. */
export function isFlaggedForId(run: Judged, metric: string): boolean {
  return isFlaggedFor(run, findMetric(metric));
}

/** Metrics that are affected by the same verdicts, by the first word of a series name. */
const metricsOfSeries: Readonly<Record<string, (role: string) => string>> = {
  latency: () => 'latency.p50',
  cpu: (role) => `cpu.${role}`,
  memory: (role) => `memory.${role}.mean`,
  energy: () => 'energy.total',
  temperature: (role) => `temperature.${role}`,
  frequency: (role) => `frequency.${role}`,
  messages: () => 'rate.messages',
  network: () => 'rate.goodput',
  wire: () => 'rate.goodput',
  probe: () => 'availability.reached',
  abuse: () => 'availability.held',
};

/** Returns the id of the metric that decides whether a flag affects a stored series, or the name of the series. */
export function metricOfSeries({ role, metric }: { role: string; metric: string }): string {
  const [kind = ''] = metric.split('.');
  return metricsOfSeries[kind]?.(role) ?? metric;
}
