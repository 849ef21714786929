import { neededRoles, type Role, roleWords } from '../../domain/devices/device.ts';
import { deliveriesOf, isCoap } from '../../domain/plans/trial-spec.ts';
import type {
  Counters,
  HistogramJson,
  PhaseRecord,
  RoleResult,
  RunClock,
  Series,
} from '../../domain/runs/role-result.ts';
import type { Phase } from '../../domain/runs/statuses.ts';
import type { RunEvidence } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { endsEarly } from '../workloads.ts';
import { mergeResults } from './merge-results.ts';

/** Returns all results for one role, in device order. */
export function resultsOf(evidence: RunEvidence, role: Role): RoleResult[] {
  return evidence.results.filter((result) => result.role === role);
}

/** Returns the merged result of all devices with a role. */
export function resultOf(evidence: RunEvidence, role: Role): RoleResult | undefined {
  return mergeResults(resultsOf(evidence, role));
}

/** False for an external broker with an unknown process, because it may run on another device. */
export function isBrokerProcessKnown(evidence: RunEvidence): boolean {
  if (evidence.spec.broker !== 'external') return true;
  return resultsOf(evidence, 'broker').every(
    ({ environment }) => typeof environment['process.pid'] === 'number',
  );
}

/** Reads a number from each device with a role; skips devices that did not record it. */
export function eachDevice(
  evidence: RunEvidence,
  role: Role,
  read: (result: RoleResult) => number | null | undefined,
): number[] {
  return resultsOf(evidence, role).flatMap((result) => read(result) ?? []);
}

/** Returns the role name for sentences, with the device if several have the role. */
export function nameOf({ role, device, share }: Pick<RoleResult, 'role' | 'device' | 'share'>): string {
  const name = roleWords[role];
  return share.of === 1 ? name : `${name} ${device === '' ? share.index + 1 : device}`;
}

export function phaseOf(evidence: RunEvidence, role: Role, phase: Phase): PhaseRecord | undefined {
  return resultOf(evidence, role)?.phases.find((record) => record.phase === phase);
}

/** Returns the sum of a counter over the devices with a role; null if no device counted it. */
export function countOf(evidence: RunEvidence, role: Role, counter: keyof Counters): number | null {
  const counted = resultsOf(evidence, role).flatMap((result) => (result.counters ? [result.counters] : []));
  return counted.length === 0 ? null : counted.reduce((sum, counters) => sum + counters[counter], 0);
}

/** True if every participating device has reported; `participants` lists their roles, if stored. */
export function isComplete(results: readonly RoleResult[], participants: readonly Role[]): boolean {
  const awaited = participants.length === 0 ? neededRoles : participants;
  const countIn = (role: Role, among: readonly Role[]) => among.filter((other) => other === role).length;
  const delivered = results.map(({ role }) => role);
  return awaited.every((role) => countIn(role, delivered) >= countIn(role, awaited));
}

/**
 * Returns the number of expected deliveries: unaltered messages times subscribers; for CoAP, one response per
 * request.
 */
export function expectedDeliveries(evidence: RunEvidence): number | null {
  const sent = countOf(evidence, 'publisher', 'sent');
  const altered = countOf(evidence, 'publisher', 'altered') ?? 0;
  return sent === null ? null : (sent - altered) * (isCoap(evidence.spec) ? 1 : deliveriesOf(evidence.spec));
}

/** Returns the number of distinct messages that arrived; for CoAP, the number of answered requests. */
export function deliveriesCounted(evidence: RunEvidence): number | null {
  return isCoap(evidence.spec)
    ? countOf(evidence, 'publisher', 'acknowledged')
    : countOf(evidence, 'subscriber', 'received');
}

/**
 * Returns the number of messages that were sent but did not arrive; discarded messages do not count as lost.
 */
export function lostOf(evidence: RunEvidence): number | null {
  const expected = expectedDeliveries(evidence);
  const received = deliveriesCounted(evidence);
  if (expected === null || received === null) return null;
  return Math.max(0, expected - received - (countOf(evidence, 'subscriber', 'identifierReused') ?? 0));
}

/** Returns the actual length of the measure phase, in ms, because a load can end before its time limit. */
export function measuredMsOf(evidence: RunEvidence): number {
  const { spec } = evidence;
  const measure = endsEarly(spec) ? phaseOf(evidence, 'publisher', 'measure') : undefined;
  return measure === undefined ? spec.measureMs : Math.min(spec.measureMs, measure.durationUs / 1000);
}

/** Returns the values of a series in the measure phase, device by device. */
export function measuredValues(evidence: RunEvidence, role: Role, metric: string): number[] {
  const measureMs = measuredMsOf(evidence);
  return resultsOf(evidence, role).flatMap((result) => measuredOf(result, metric, measureMs));
}

/** Like `measuredValues`, for one result. */
export function measuredOf(result: RoleResult, metric: string, measureMs: number): number[] {
  const series = result.series.find((entry) => entry.metric === metric);
  return series ? insideMeasure(series, measureMs) : [];
}

function insideMeasure(series: Series, measureMs: number): number[] {
  return series.values.filter((value, index): value is number => {
    const at = series.timesMs[index];
    return value !== null && at !== undefined && at > 0 && at <= measureMs;
  });
}

/** Identifies the machine of a result: devices that share a kernel are one machine. */
export function machineOf(result: RoleResult): string {
  const bootId = result.environment['device.bootId'];
  return typeof bootId === 'string' && bootId !== '' ? bootId : nameOf(result);
}

/** Returns a numeric fact, or null. */
export function numberIn(fact: RoleResult['environment'][string] | undefined): number | null {
  return typeof fact === 'number' ? fact : null;
}

export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function ratioOf(part: number | null | undefined, whole: number | null | undefined): number | null {
  return part === null || part === undefined || !whole ? null : part / whole;
}

/** Converts µs to ms; null stays null. */
export function toMs(us: number | null): number | null {
  return us === null ? null : us / 1000;
}

/** Returns the number of bytes in both directions; null if the device does not count them. */
export function wireBytesOf({ bytesSent, bytesReceived }: PhaseRecord): number | null {
  return bytesSent === null || bytesReceived === null ? null : bytesSent + bytesReceived;
}

/** Returns the sum; null if a value is unknown or the list is empty. */
export function sumOrNull(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null;
  return values.reduce<number | null>(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0,
  );
}

/** one-way: measured with the clocks of two devices. round-trip: back to the publisher's device, with one clock. */
export type LatencyKind = 'one-way' | 'round-trip';

/** One-way latency is unusable if the clock bound exceeds this share of the median latency. */
export const boundShare = 0.1;

/**
 * Returns the maximum error of the clock offset used in the run, in µs: its uncertainty, or the drift until
 * the second exchange plus the uncertainty of that exchange.
 */
export function deviceBoundUs({ before, after }: RunClock): number {
  if (after === null) return before.uncertaintyUs;
  const driftUs = Math.abs(after.offsetUs - before.offsetUs);
  return Math.max(before.uncertaintyUs, driftUs + after.uncertaintyUs);
}

/**
 * Returns the maximum error of a one-way latency, in µs: 0 if both devices share one kernel's clock; null if
 * the clocks were not compared.
 */
export function latencyBoundUs(evidence: RunEvidence): number | null {
  const bounds = resultsOf(evidence, 'publisher').flatMap((publisher) =>
    resultsOf(evidence, 'subscriber').map((subscriber) => pairBoundUs(publisher, subscriber)),
  );
  // One histogram contains the messages of all pairs, so the worst pair determines the bound.
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

/** True if both devices use the same clock, converted to testbed time with the same offset. */
function shareKernel(publisher: RoleResult, subscriber: RoleResult): boolean {
  const bootId = publisher.environment['device.bootId'];
  if (typeof bootId !== 'string' || bootId === '') return false;
  return (
    bootId === subscriber.environment['device.bootId'] &&
    publisher.clock?.before.offsetUs === subscriber.clock?.before.offsetUs
  );
}

/** Returns null if no latency was measured. */
export function latencyKind(evidence: RunEvidence): LatencyKind | null {
  const oneWay = measured(resultOf(evidence, 'subscriber')?.latency);
  const roundTrip = measured(resultOf(evidence, 'publisher')?.histograms.roundTrip);
  if (!oneWay) return roundTrip ? 'round-trip' : null;
  return roundTrip && !isTrusted(oneWay, latencyBoundUs(evidence)) ? 'round-trip' : 'one-way';
}

/**
 * Returns the latency used for this run: one-way, unless the clocks do not allow it and round-trip latency is
 * available.
 */
export function latencyOf(evidence: RunEvidence): HistogramJson | null {
  const kind = latencyKind(evidence);
  if (kind === 'round-trip') return resultOf(evidence, 'publisher')?.histograms.roundTrip ?? null;
  return kind === null ? null : (resultOf(evidence, 'subscriber')?.latency ?? null);
}

/** True if one-way latencies can be shown with this bound. A negative latency proves that a clock is wrong. */
export function isTrusted(oneWay: HistogramJson, boundUs: number | null): boolean {
  if (oneWay.underflow > 0) return false;
  const medianUs = LatencyHistogram.fromJson(oneWay).percentile(50);
  return boundUs !== null && medianUs !== null && boundUs <= boundShare * medianUs;
}

function measured(histogram: HistogramJson | null | undefined): HistogramJson | null {
  return histogram && histogram.count > 0 ? histogram : null;
}
