import { type Flow, flows, isImpaired, type ShapingOutcome } from '../../domain/plans/impairment.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunEvidence } from '../../domain/runs/verdict.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import { betaTails } from '../../statistics/distributions/special.ts';
import { deviceBoundUs, machineOf, nameOf } from './evidence.ts';

/** Probability, in one direction of one run, below which an observation counts as a fault. */
const chanceLimit = 1e-4;
/** Tolerance for timers, and for data queued between two readings. */
const rateTolerance = 1.05;
/** Tolerance for kernel timers and clocks: how much shorter than the delay a round trip can be, in ms. */
const delayToleranceMs = 1;

/** Requested and measured value of one quality in one direction. */
export interface ShapingRow {
  flow: Flow;
  quality: 'in place' | 'loss' | 'delay' | 'rate';
  asked: string;
  measured: string;
  /** null if there is nothing to compare. */
  ok: boolean | null;
}

/** Returns requested and measured impairments of the link; empty without impairment. */
export function shapingRows(evidence: RunEvidence): ShapingRow[] {
  const { impairment } = evidence.spec;
  if (!isImpaired(impairment)) return [];
  const { direction, lossPercent, delayMs, rateMbit } = impairment;
  const impaired = flows.filter((flow) => direction === 'both' || direction === flow);
  return impaired.flatMap((flow) => [
    placeRow(evidence, flow),
    ...(lossPercent > 0 ? [lossRow(evidence, flow)] : []),
    ...(delayMs > 0 ? [delayRow(evidence, flow, impaired.length)] : []),
    ...(rateMbit === null ? [] : [rateRow(evidence, flow)]),
  ]);
}

/**
 * Returns the TCP segments sent and retransmitted during the load, counting each network stack once; null if
 * they were not counted.
 */
export function retransmissionsOf(evidence: RunEvidence): { again: number; sent: number } | null {
  const stacks = new Map(evidence.results.flatMap(({ tcp }) => (tcp ? [[tcp.networkStack, tcp]] : [])));
  if (stacks.size === 0) return null;
  const all = [...stacks.values()];
  return {
    again: all.reduce((sum, { retransmittedSegments }) => sum + retransmittedSegments, 0),
    sent: all.reduce((sum, { sentSegments }) => sum + sentSegments, 0),
  };
}

function placeRow({ results }: RunEvidence, flow: Flow): ShapingRow {
  const rules = rulesOf(results, flow);
  const missing = rules.filter(({ rule }) => !rule.inPlace);
  const places = [...Map.groupBy(rules, ({ rule }) => rule.driver)].map(
    ([driver, ofDriver]) => `${driver} on ${[...new Set(ofDriver.map(({ name }) => name))].join(', ')}`,
  );
  const measured =
    rules.length === 0
      ? 'no device applied a rule'
      : missing.length > 0
        ? `removed by another program before the end of the run (${missing.map(({ rule, name }) => `${rule.driver}, ${name}`).join('; ')})`
        : places.join('; ');
  const ok = rules.length > 0 && missing.length === 0;
  return { flow, quality: 'in place', asked: 'until the end', measured, ok };
}

function lossRow({ spec, results }: RunEvidence, flow: Flow): ShapingRow {
  const { lossPercent } = spec.impairment;
  const rules = rulesOf(results, flow).filter(({ rule }) => rule.lossPercent > 0 && rule.packets !== null);
  const packets = rules.reduce((sum, { rule }) => sum + (rule.packets ?? 0), 0);
  const dropped = rules.reduce((sum, { rule }) => sum + (rule.dropped ?? 0), 0);
  const about = { flow, quality: 'loss' as const, asked: `${lossPercent} %` };
  if (packets === 0) return { ...about, measured: 'no packet was counted', ok: false };
  const share = `${formatNumber((100 * dropped) / packets)} %`;
  return {
    ...about,
    measured: `${formatCount(dropped)} of ${formatCount(packets)} packets dropped, ${share}`,
    ok: chanceOf({ dropped, packets, share: lossPercent / 100 }) >= chanceLimit,
  };
}

/** Returns the two-sided probability of this many drops under the binomial distribution. */
function chanceOf({
  dropped: k,
  packets: n,
  share: p,
}: Record<'dropped' | 'packets' | 'share', number>): number {
  const atLeast = k === 0 ? 1 : betaTails({ a: k, b: n - k + 1, x: p }).lower;
  const atMost = k === n ? 1 : betaTails({ a: k + 1, b: n - k, x: p }).upper;
  return Math.min(1, 2 * Math.min(atLeast, atMost));
}

/**
 * Compares the delay with the shortest round trip observed by TCP, or with the connect time if there is none.
 */
function delayRow({ spec, results }: RunEvidence, flow: Flow, directions: number): ShapingRow {
  const { delayMs, jitterMs } = spec.impairment;
  const clients = results.filter(({ role }) => role !== 'broker');
  const seen = clients.flatMap(({ tcp, phases }) => {
    const connected = phases.find(({ phase }) => phase === 'tcp');
    return tcp?.connections?.leastRoundTripMs ?? (connected ? connected.durationUs / 1000 : []);
  });
  const least = directions * Math.max(0, delayMs - jitterMs) - delayToleranceMs;
  const jitter = jitterMs > 0 ? ` ± ${jitterMs}` : '';
  const about = { flow, quality: 'delay' as const, asked: `${delayMs}${jitter} ms` };
  if (seen.length === 0) return { ...about, measured: 'no round trip was observed', ok: false };
  const shortest = Math.min(...seen);
  return { ...about, measured: `shortest round trip ${formatNumber(shortest)} ms`, ok: shortest >= least };
}

/** Compares the limit with each queue's rate: bytes counted by the kernel minus the allowed burst. */
function rateRow({ spec, results }: RunEvidence, flow: Flow): ShapingRow {
  const limitMbit = spec.impairment.rateMbit ?? 0;
  // Bits per µs are Mbit/s.
  const rates = rulesOf(results, flow).flatMap(({ rule: { rateMbit, load, burstBytes } }) =>
    rateMbit === null || load === null ? [] : (8 * Math.max(0, load.bytes - burstBytes)) / load.durationUs,
  );
  const about = { flow, quality: 'rate' as const, asked: `at most ${limitMbit} Mbit/s` };
  if (rates.length === 0) return { ...about, measured: 'no bytes were counted', ok: false };
  const most = Math.max(...rates);
  return { ...about, measured: `${formatNumber(most)} Mbit/s`, ok: most <= limitMbit * rateTolerance };
}

function rulesOf(results: readonly RoleResult[], flow: Flow): { rule: ShapingOutcome; name: string }[] {
  return results.flatMap((result) =>
    result.shaping.filter((rule) => rule.flow === flow).map((rule) => ({ rule, name: nameOf(result) })),
  );
}

/** Time between the first and the last start of the measure phase, in µs on the testbed clock. */
export interface StartSkew {
  skewUs: number;
  /**
   * Maximum error, from the clocks of the first and the last device; null if the clocks were not compared.
   */
  boundUs: number | null;
  first: string;
  last: string;
}

/**
 * Compares when the devices began to measure: all receive the same start time and report when their measure
 * phase began. Returns null with fewer than two devices. Pure.
 */
export function startSkew({ results }: Pick<RunEvidence, 'results'>): StartSkew | null {
  const starts = results
    .flatMap((result) => {
      const measure = result.phases.find(({ phase }) => phase === 'measure');
      return measure ? [{ result, startUs: measure.startUs }] : [];
    })
    .sort((a, b) => a.startUs - b.startUs);
  const [first, last] = [starts[0], starts.at(-1)];
  if (!first || !last || first === last) return null;
  return {
    skewUs: last.startUs - first.startUs,
    boundUs: pairBoundUs(first.result, last.result),
    first: nameOf(first.result),
    last: nameOf(last.result),
  };
}

function pairBoundUs(a: RoleResult, b: RoleResult): number | null {
  if (machineOf(a) === machineOf(b) && a.clock?.before.offsetUs === b.clock?.before.offsetUs) return 0;
  return a.clock && b.clock ? deviceBoundUs(a.clock) + deviceBoundUs(b.clock) : null;
}
