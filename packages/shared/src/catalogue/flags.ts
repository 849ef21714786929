import type { MetricDefinition, Verdict } from '../domain/runs/verdict.ts';
import { findMetric } from './metrics.ts';
import { verdicts } from './verdicts.ts';

/** Ids of the verdicts that failed. */
export function failedIds(judged: readonly Pick<Verdict, 'id' | 'status'>[]): string[] {
  return judged.filter(({ status }) => status === 'failed').map(({ id }) => id);
}

/** What went wrong, for a verdict that failed; the label of a verdict that is not known any more. */
export function flagName({ id, label }: Pick<Verdict, 'id' | 'label'>): string {
  return verdicts.find((verdict) => verdict.id === id)?.fault ?? label;
}

interface Judged {
  flagged: boolean;
  /** Ids of failed verdicts. If absent, the flag counts for every metric. */
  failed?: readonly string[] | undefined;
}

/**
 * Whether a failed verdict of a run says something about this metric, so that its value is left out. A verdict that is
 * not known any more counts for every metric.
 */
export function isFlaggedFor({ flagged, failed }: Judged, metric: MetricDefinition | undefined): boolean {
  if (!flagged || !failed?.length || metric === undefined) return flagged;
  return failed.some((id) => {
    const matters = verdicts.find((verdict) => verdict.id === id)?.matters;
    return matters === undefined || matters(metric);
  });
}

/** The rule of `isFlaggedFor` in words. */
export const flagRule = 'a flagged run is left out of the metrics that its failed verdicts affect';

/** The same by the id of a metric. */
export function isFlaggedForId(run: Judged, metric: string): boolean {
  return isFlaggedFor(run, findMetric(metric));
}

/** By the first word of the name of a series: the metric that the same verdicts affect. */
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

/** Id of the metric that decides whether a flag affects a stored series; the name of the series if it has none. */
export function metricOfSeries({ role, metric }: { role: string; metric: string }): string {
  const [kind = ''] = metric.split('.');
  return metricsOfSeries[kind]?.(role) ?? metric;
}
