import { makeCounters } from '../../domain/runs/counters.ts';
import {
  type Counters,
  type HistogramJson,
  type HistogramName,
  histogramNames,
  type PerfCounters,
  type PhaseRecord,
  type Randomness,
  type RoleResult,
  type RunEnergy,
} from '../../domain/runs/role-result.ts';
import { setUpPhases } from '../../domain/runs/statuses.ts';
import type { ArrivedThroughput, SentThroughput, Throughput } from '../../domain/runs/throughput.ts';

/**
 * Merges the results of several devices with one role: adds counts, bytes, CPU time and energy, and merges
 * histograms. Takes negotiated parameters and states from the first device, and concatenates series. To
 * compare devices, use the separate results. Pure.
 */
export function mergeResults(results: readonly RoleResult[]): RoleResult | undefined {
  const [first, ...others] = results;
  if (first === undefined || others.length === 0) return first;
  return {
    ...first,
    device: results.map(({ device }) => device).join(', '),
    phases: mergePhases(results.map(({ phases }) => phases)),
    localPorts: results.flatMap(({ localPorts }) => localPorts),
    counters: mergeCounters(results.flatMap(({ counters }) => counters ?? [])),
    throughput: mergeThroughput(results.map(({ throughput }) => throughput)),
    latency: mergeOf(results, ({ latency }) => latency),
    lateness: mergeOf(results, ({ lateness }) => lateness),
    histograms: mergeNamed(results),
    randomness: mergeRandomness(results.flatMap(({ randomness }) => randomness)),
    energy: mergeEnergy(results.map(({ energy }) => energy)),
    perf: mergePerf(results.map(({ perf }) => perf)),
    shaping: results.flatMap(({ shaping }) => shaping),
    series: results.flatMap(({ series }) => series),
    environment: commonFacts(results.map(({ environment }) => environment)),
    log: results.flatMap(({ log }) => log),
    degraded: results.flatMap(({ degraded }) => degraded),
    failure: results.find(({ failure }) => failure !== null)?.failure ?? null,
  };
}

/** Returns the sum; null if a value is unknown. */
function sum(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>(
    (total, value) => (total === null || value === null ? null : total + value),
    0,
  );
}

function mergePhases(all: readonly (readonly PhaseRecord[])[]): PhaseRecord[] {
  const byPhase = Map.groupBy(all.flat(), ({ phase }) => phase);
  return [...byPhase.values()].flatMap((records) => {
    const [first] = records;
    return first ? [{ ...first, ...mergePhase(records) }] : [];
  });
}

/**
 * The duration of a set-up phase is the mean over connections. Other phases last from the first start to the
 * last end.
 */
function mergePhase(records: readonly PhaseRecord[]): Omit<PhaseRecord, 'phase'> {
  const [first] = records;
  const startUs = Math.min(...records.map((record) => record.startUs));
  const endUs = Math.max(...records.map((record) => record.startUs + record.durationUs));
  const connections = records.reduce((total, record) => total + record.connections, 0);
  const weighted = records.reduce((total, record) => total + record.durationUs * record.connections, 0);
  const isSetUp = first !== undefined && setUpPhases.includes(first.phase);
  return {
    startUs,
    durationUs: isSetUp && connections > 0 ? weighted / connections : endUs - startUs,
    cpuUs: sum(records.map(({ cpuUs }) => cpuUs)),
    energyJ: sum(records.map(({ energyJ }) => energyJ)),
    bytesSent: sum(records.map(({ bytesSent }) => bytesSent)),
    bytesReceived: sum(records.map(({ bytesReceived }) => bytesReceived)),
    connections,
  };
}

function mergeCounters(all: readonly Counters[]): Counters | null {
  if (all.length === 0) return null;
  const total = makeCounters();
  for (const counters of all) {
    for (const name of Object.keys(total) as (keyof Counters)[]) total[name] += counters[name];
  }
  return total;
}

function mergeOf(
  results: readonly RoleResult[],
  pick: (result: RoleResult) => HistogramJson | null | undefined,
): HistogramJson | null {
  const histograms = results.flatMap((result) => pick(result) ?? []);
  return mergeHistograms(histograms) ?? histograms[0] ?? null;
}

function mergeNamed(results: readonly RoleResult[]): RoleResult['histograms'] {
  const merged: Partial<Record<HistogramName, HistogramJson>> = {};
  for (const name of histogramNames) {
    const histogram = mergeOf(results, ({ histograms }) => histograms[name]);
    if (histogram) merged[name] = histogram;
  }
  return merged;
}

function mergeRandomness(all: readonly Randomness[]): Randomness[] {
  return [...Map.groupBy(all, ({ test }) => test)].map(([test, entries]) => {
    const messages = entries.reduce((total, entry) => total + entry.messages, 0);
    const weighted = sum(entries.map(({ meanP, messages: n }) => (meanP === null ? null : meanP * n)));
    return {
      test,
      messages,
      passed: entries.reduce((total, entry) => total + entry.passed, 0),
      meanP: weighted === null || messages === 0 ? null : weighted / messages,
    };
  });
}

/** Returns null if a device has no energy, or if the energy qualities differ. */
function mergeEnergy(all: readonly (RunEnergy | null)[]): RunEnergy | null {
  const known = all.filter((energy) => energy !== null);
  const [first] = known;
  if (!first || known.length < all.length) return null;
  if (known.some(({ quality }) => quality !== first.quality)) return null;
  const volts = new Set(known.map(({ voltageV }) => voltageV));
  if (known.length === 1) return first;
  // Each device has a separate idle window.
  const { baselineWindow: _idle, gaps: _gaps, ...common } = first;
  const gaps = known.flatMap((energy) => energy.gaps ?? []);
  return {
    ...common,
    ...(gaps.length > 0 && {
      gaps: {
        ms: gaps.reduce((total, { ms }) => total + ms, 0),
        errorJ: gaps.reduce((total, { errorJ }) => total + errorJ, 0),
      },
    }),
    source: [...new Set(known.map(({ source }) => source))].join(', '),
    detail: [...new Set(known.map(({ detail }) => detail))].join('; '),
    baselineW: sum(known.map(({ baselineW }) => baselineW)),
    measureJ: sum(known.map(({ measureJ }) => measureJ)),
    voltageV: volts.size === 1 ? first.voltageV : null,
    batteryMah: null,
  };
}

function mergePerf(all: readonly (PerfCounters | null)[]): PerfCounters | null {
  const known = all.filter((perf) => perf !== null);
  if (known.length === 0 || known.length < all.length) return null;
  return {
    cycles: sum(known.map(({ cycles }) => cycles)),
    instructions: sum(known.map(({ instructions }) => instructions)),
    cacheReferences: sum(known.map(({ cacheReferences }) => cacheReferences)),
    cacheMisses: sum(known.map(({ cacheMisses }) => cacheMisses)),
  };
}

/** Returns the facts that are the same on all devices. */
function commonFacts(all: readonly RoleResult['environment'][]): RoleResult['environment'] {
  const [first = {}, ...others] = all;
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((facts) => facts[name] === value)),
  );
}

/**
 * Adds the stored sparse counters directly, because a dense histogram for each would cost more than the rest
 * of a comparison. Skips histograms whose layout differs from the first, because their buckets differ.
 * Returns null without a value. Pure.
 */
export function mergeHistograms(histograms: Iterable<HistogramJson>): HistogramJson | null {
  const pool = new HistogramPool();
  for (const histogram of histograms) pool.add(histogram);
  return pool.merged();
}

/** Merges histograms that are read one by one. */
export class HistogramPool {
  readonly #counts = new Map<number, number>();
  #totals: HistogramJson | null = null;

  add(next: HistogramJson): void {
    if (next.count === 0 || (this.#totals && !isAlike(this.#totals, next))) return;
    for (let i = 0; i < next.buckets.length; i += 2) {
      const index = next.buckets[i] ?? 0;
      this.#counts.set(index, (this.#counts.get(index) ?? 0) + (next.buckets[i + 1] ?? 0));
    }
    this.#totals = this.#totals ? addTotals(this.#totals, next) : next;
  }

  merged(): HistogramJson | null {
    const buckets = [...this.#counts].sort(([a], [b]) => a - b).flat();
    return this.#totals && { ...this.#totals, buckets };
  }
}

function isAlike(a: HistogramJson, b: HistogramJson): boolean {
  return a.lowest === b.lowest && a.highest === b.highest && a.digits === b.digits;
}

function addTotals(a: HistogramJson, b: HistogramJson): HistogramJson {
  return {
    ...a,
    count: a.count + b.count,
    min: Math.min(a.min ?? Number.POSITIVE_INFINITY, b.min ?? Number.POSITIVE_INFINITY),
    max: Math.max(a.max ?? Number.NEGATIVE_INFINITY, b.max ?? Number.NEGATIVE_INFINITY),
    sum: a.sum + b.sum,
    sumSquares: a.sumSquares + b.sumSquares,
    overflow: a.overflow + b.overflow,
    underflow: a.underflow + b.underflow,
  };
}

/**
 * Merges the throughput of several devices with one role: adds counts, and uses the first, last and longest
 * times. Returns null if a device did not count arrivals.
 */
export function mergeThroughput(all: readonly (Throughput | null)[]): Throughput | null {
  const known = all.filter((throughput) => throughput !== null);
  if (known.length === 0 || known.length < all.length) return null;
  return {
    startUs: Math.min(...known.map(({ startUs }) => startUs)),
    endUs: Math.max(...known.map(({ endUs }) => endUs)),
    sent: mergeSent(known.flatMap(({ sent }) => sent ?? [])),
    arrived: mergeArrived(known.flatMap(({ arrived }) => arrived ?? [])),
  };
}

function mergeSent(all: readonly SentThroughput[]): SentThroughput | null {
  if (all.length === 0) return null;
  return {
    firstHalf: sumOf(all, ({ firstHalf }) => firstHalf),
    secondHalf: sumOf(all, ({ secondHalf }) => secondHalf),
    afterwards: sumOf(all, ({ afterwards }) => afterwards),
  };
}

function mergeArrived(all: readonly ArrivedThroughput[]): ArrivedThroughput | null {
  if (all.length === 0) return null;
  const firsts = all.flatMap(({ firstUs }) => firstUs ?? []);
  const lasts = all.flatMap(({ lastUs }) => lastUs ?? []);
  const firstUs = firsts.length === 0 ? null : Math.min(...firsts);
  return {
    firstHalf: sumOf(all, ({ firstHalf }) => firstHalf),
    secondHalf: sumOf(all, ({ secondHalf }) => secondHalf),
    payloadBytes: sumOf(all, ({ payloadBytes }) => payloadBytes),
    longestSilenceUs: Math.max(...all.map(({ longestSilenceUs }) => longestSilenceUs)),
    firstUs,
    lastUs: lasts.length === 0 ? null : Math.max(...lasts),
    atFirst: sumOf(all, (arrived) => (arrived.firstUs === firstUs ? arrived.atFirst : 0)),
  };
}

function sumOf<Of>(all: readonly Of[], read: (item: Of) => number): number {
  return all.reduce((sum, item) => sum + read(item), 0);
}
