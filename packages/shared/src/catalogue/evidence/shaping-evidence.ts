import { type Flow, flows, isImpaired, type ShapingOutcome } from '../../domain/plans/impairment.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunEvidence } from '../../domain/runs/verdict.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import { betaTails } from '../../statistics/distributions/special.ts';
import { deviceBoundUs, machineOf, nameOf } from './evidence.ts';

/** A chance as small as this in one direction of one Run is taken for a fault. */
const chanceLimit = 1e-4;
/** Of timers and of what waits between two looks. */
const rateTolerance = 1.05;
/** Timers and clocks of kernels: ms by which a round trip may be shorter than what was put on. */
const delayToleranceMs = 1;

/** One quality of one direction: what was asked, what came of it. */
export interface ShapingRow {
  flow: Flow;
  quality: 'in place' | 'loss' | 'delay' | 'rate';
  asked: string;
  measured: string;
  /** null: nothing to compare. */
  ok: boolean | null;
}

/** What was asked of the link beside what came of it; empty where nothing was. */
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

/** Segments that TCP sent again while load ran, each network stack counted once; null where none was counted. */
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
  const found = rulesOf(results, flow);
  const missing = found.filter(({ rule }) => !rule.inPlace);
  const places = [...Map.groupBy(found, ({ rule }) => rule.driver)].map(
    ([driver, rules]) => `${driver} at ${[...new Set(rules.map(({ name }) => name))].join(', ')}`,
  );
  const measured =
    found.length === 0
      ? 'no device has put anything on'
      : missing.length > 0
        ? `taken off by somebody else before the run was over (${missing.map(({ rule, name }) => `${rule.driver}, ${name}`).join('; ')})`
        : places.join('; ');
  const ok = found.length > 0 && missing.length === 0;
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

/** Of that many drops or a number as far off, at most: both tails of the binomial distribution. */
function chanceOf({
  dropped: k,
  packets: n,
  share: p,
}: Record<'dropped' | 'packets' | 'share', number>): number {
  const atLeast = k === 0 ? 1 : betaTails({ a: k, b: n - k + 1, x: p }).lower;
  const atMost = k === n ? 1 : betaTails({ a: k + 1, b: n - k, x: p }).upper;
  return Math.min(1, 2 * Math.min(atLeast, atMost));
}

/** A round trip waits once for each direction; the least that TCP saw, else how long it took to connect. */
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
  if (seen.length === 0) return { ...about, measured: 'no round trip was seen', ok: false };
  const shortest = Math.min(...seen);
  return { ...about, measured: `shortest round trip ${formatNumber(shortest)} ms`, ok: shortest >= least };
}

/** Of each queue by itself, as the kernel counted what it let through behind the burst it forgives. */
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

/** How far apart the devices began to measure; times on the testbed clock, µs. */
export interface StartSkew {
  skewUs: number;
  /** Most that it can be wrong by: the clocks of the first and the last device; null where they were not compared. */
  boundUs: number | null;
  first: string;
  last: string;
}

/** All were told one instant; each says when its measure phase really began. null with fewer than two devices. Pure. */
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
