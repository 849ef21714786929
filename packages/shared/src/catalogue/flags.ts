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
  /** Ids of failed verdicts; absent in what earlier versions froze. */
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
