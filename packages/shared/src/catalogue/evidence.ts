import type { Role } from '../domain/device.ts';
import type { RunEvidence } from '../domain/metric.ts';
import type { Phase } from '../domain/phase.ts';
import type { Counters, HistogramJson, PhaseRecord, RoleResult, Series } from '../domain/role-result.ts';
import { deliveriesOf } from '../domain/trial-spec.ts';

/** Every result of one role, in device order. */
export function resultsOf(evidence: RunEvidence, role: Role): RoleResult[] {
  return evidence.results.filter((result) => result.role === role);
}

export function resultOf(evidence: RunEvidence, role: Role): RoleResult | undefined {
  return evidence.results.find((result) => result.role === role);
}

export function phaseOf(evidence: RunEvidence, role: Role, phase: Phase): PhaseRecord | undefined {
  return resultOf(evidence, role)?.phases.find((record) => record.phase === phase);
}

/** Sum of one counter over the devices of a role; null when none has counted. */
export function countOf(evidence: RunEvidence, role: Role, counter: keyof Counters): number | null {
  const counted = resultsOf(evidence, role).flatMap((result) => (result.counters ? [result.counters] : []));
  return counted.length === 0 ? null : counted.reduce((sum, counters) => sum + counters[counter], 0);
}

/** Messages that every subscriber should have had, times subscribers. */
export function expectedDeliveries(evidence: RunEvidence): number | null {
  const sent = countOf(evidence, 'publisher', 'sent');
  return sent === null ? null : sent * deliveriesOf(evidence.spec);
}

export function latencyOf(evidence: RunEvidence): HistogramJson | null {
  return resultOf(evidence, 'subscriber')?.latency ?? null;
}

/** Values of a series inside the measure phase. */
export function measuredValues(evidence: RunEvidence, role: Role, metric: string): number[] {
  const series = resultOf(evidence, role)?.series.find((entry) => entry.metric === metric);
  return series ? insideMeasure(series, evidence.spec.measureMs) : [];
}

function insideMeasure(series: Series, measureMs: number): number[] {
  return series.values.filter((value, index): value is number => {
    const at = series.timesMs[index];
    return value !== null && at !== undefined && at > 0 && at <= measureMs;
  });
}

export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function ratioOf(part: number | null | undefined, whole: number | null | undefined): number | null {
  return part === null || part === undefined || !whole ? null : part / whole;
}

/** µs to ms; null stays null. */
export function toMs(us: number | null): number | null {
  return us === null ? null : us / 1000;
}
