import type { RunEvidence } from '../../domain/runs/metric.ts';
import type { HistogramJson, RoleResult, RunClock } from '../../domain/runs/role-result.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { resultOf, resultsOf } from './evidence.ts';

/** one-way: by the clocks of two devices. round-trip: there and back to the publisher's device, by one clock. */
export type LatencyKind = 'one-way' | 'round-trip';

/** Share of the median latency above which the bound of the clocks makes one-way latency useless. */
export const boundShare = 0.1;

/**
 * Most that the offset applied during the Run can be wrong by, µs: its own uncertainty, or how far the clocks have
 * drifted apart by the second exchange, with the uncertainty of that one.
 */
export function deviceBoundUs({ before, after }: RunClock): number {
  if (after === null) return before.uncertaintyUs;
  const driftUs = Math.abs(after.offsetUs - before.offsetUs);
  return Math.max(before.uncertaintyUs, driftUs + after.uncertaintyUs);
}

/** Most that a one-way latency can be wrong by, µs: 0 by one kernel's clock; null when clocks were not compared. */
export function latencyBoundUs(evidence: RunEvidence): number | null {
  const bounds = resultsOf(evidence, 'publisher').flatMap((publisher) =>
    resultsOf(evidence, 'subscriber').map((subscriber) => pairBoundUs(publisher, subscriber)),
  );
  // Messages of all pairs are in one histogram, which the worst of them spoils.
  return bounds.reduce<number | null>(
    (worst, bound) => (worst === null || bound === null ? null : Math.max(worst, bound)),
    bounds.length === 0 ? null : 0,
  );
}

function pairBoundUs(publisher: RoleResult, subscriber: RoleResult): number | null {
  if (shareKernel(publisher, subscriber)) return 0;
  if (!publisher.clock || !subscriber.clock) return null;
  return deviceBoundUs(publisher.clock) + deviceBoundUs(subscriber.clock);
}

/** Both clocks are one, and both were turned into testbed time by one offset. */
function shareKernel(publisher: RoleResult, subscriber: RoleResult): boolean {
  const bootId = publisher.environment['device.bootId'];
  if (typeof bootId !== 'string' || bootId === '') return false;
  return (
    bootId === subscriber.environment['device.bootId'] &&
    publisher.clock?.before.offsetUs === subscriber.clock?.before.offsetUs
  );
}

/** null when no latency was measured at all. */
export function latencyKind(evidence: RunEvidence): LatencyKind | null {
  const oneWay = measured(resultOf(evidence, 'subscriber')?.latency);
  const roundTrip = measured(resultOf(evidence, 'publisher')?.histograms.roundTrip);
  if (!oneWay) return roundTrip ? 'round-trip' : null;
  return roundTrip && !isTrusted(oneWay, latencyBoundUs(evidence)) ? 'round-trip' : 'one-way';
}

/** The latency that this Run is judged by; one-way unless its clocks do not allow it and there is a better one. */
export function latencyOf(evidence: RunEvidence): HistogramJson | null {
  const kind = latencyKind(evidence);
  if (kind === 'round-trip') return resultOf(evidence, 'publisher')?.histograms.roundTrip ?? null;
  return kind === null ? null : (resultOf(evidence, 'subscriber')?.latency ?? null);
}

/** Whether one-way latencies may be shown under this bound; one below 0 shows that a clock is wrong. */
export function isTrusted(oneWay: HistogramJson, boundUs: number | null): boolean {
  if (oneWay.underflow > 0) return false;
  const medianUs = LatencyHistogram.fromJson(oneWay).percentile(50);
  return boundUs !== null && medianUs !== null && boundUs <= boundShare * medianUs;
}

function measured(histogram: HistogramJson | null | undefined): HistogramJson | null {
  return histogram && histogram.count > 0 ? histogram : null;
}
