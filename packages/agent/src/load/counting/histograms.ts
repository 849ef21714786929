import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { HistogramJson, HistogramName, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import {
  highestValueAt,
  histogramIndexOf,
  lowestValueAt,
  makeHistogramLayout,
} from '@mqttlab/shared/statistics/histogram/histogram-layout';
import type { LoadSnapshot } from '../worker-messages.ts';

/** Returns null if nothing was recorded, because an empty histogram has no minimum. */
export function toHistogramJson(histogram: LatencyHistogram): HistogramJson | null {
  const { min, max, ...json } = histogram.toJson();
  return min === null || max === null ? null : { ...json, min, max };
}

/** Makes a histogram for latencies and durations of up to a minute, in µs. */
export function makeDurations(): LatencyHistogram {
  return new LatencyHistogram({ lowest: 1, highest: usualHighestUs, significantDigits: 3 });
}

/** Returns the histograms that contain values, by name. */
export function toHistogramsJson(
  histograms: Partial<Record<HistogramName, LatencyHistogram>>,
): RoleResult['histograms'] {
  return Object.fromEntries(
    Object.entries(histograms).flatMap(([name, histogram]) => {
      const json = toHistogramJson(histogram);
      return json === null ? [] : [[name, json]];
    }),
  );
}

/** Latencies of the last interval, for the live page: reported every second, or per bucket in short runs. */
export class RecentLatency {
  readonly #bucket = makeDurations();
  readonly #second = makeDurations();

  record(latencyUs: number): void {
    this.#bucket.record(latencyUs);
  }

  /** Returns the values since the previous bucket, in ms; null if there are none. */
  cutBucket(): LoadSnapshot['latencyMs'] {
    const latencyMs = percentilesOf(this.#bucket);
    if (latencyMs === null) return null;
    this.#second.merge(this.#bucket);
    this.#bucket.reset();
    return latencyMs;
  }

  /** Returns the values since the previous call, in ms; null if there are none. */
  take(): LoadSnapshot['latencyMs'] {
    this.cutBucket();
    const latencyMs = percentilesOf(this.#second);
    this.#second.reset();
    return latencyMs;
  }
}

function percentilesOf(histogram: LatencyHistogram): LoadSnapshot['latencyMs'] {
  if (histogram.count === 0) return null;
  const at = (percent: number) => (histogram.percentile(percent) ?? 0) / 1000;
  return { p5: at(5), p50: at(50), p95: at(95) };
}

const usualHighestUs = 6e7;
/** Highest value for batches that need longer than a minute to fill; the maximum that the layout allows. */
const longHighestUs = 2e9;

/**
 * Returns the age of every reading on arrival: the latency of its message plus the time that the reading
 * waited for the message to fill up. Reading k of n, counted from 0, waits for n - 1 - k more readings. The
 * ages of all readings are computed once from the latencies by a constant shift, which is equally exact and
 * needs no work per message.
 */
export function makeReadingAge(
  latency: HistogramJson | null,
  {
    readingsPerMessage: readings,
    readingsPerSecond,
  }: Pick<TrialSpec, 'readingsPerMessage' | 'readingsPerSecond'>,
): HistogramJson | null {
  if (latency === null || latency.max === null || readingsPerSecond === null) return null;
  const periodUs = 1e6 / readingsPerSecond;
  const longestUs = (readings - 1) * periodUs;
  const highest = latency.max + longestUs > usualHighestUs ? longHighestUs : usualHighestUs;
  const shifts = { readings, periodUs, highest };
  const { buckets, overflow } = shiftBuckets(latency, shifts);
  // Sums of 0, 1, .. n - 1 and of their squares.
  const steps = (readings * (readings - 1)) / 2;
  const squares = (steps * (2 * readings - 1)) / 3;
  return {
    lowest: latency.lowest,
    highest,
    digits: latency.digits,
    count: latency.count * readings,
    min: latency.min,
    max: latency.max + longestUs,
    sum: latency.sum * readings + latency.count * steps * periodUs,
    sumSquares:
      latency.sumSquares * readings +
      2 * latency.sum * steps * periodUs +
      latency.count * squares * periodUs ** 2,
    overflow,
    underflow: latency.underflow,
    buckets,
  };
}

interface Shifts {
  readings: number;
  periodUs: number;
  highest: number;
}

function shiftBuckets(latency: HistogramJson, { readings, periodUs, highest }: Shifts) {
  const { lowest, digits: significantDigits } = latency;
  const from = makeHistogramLayout({ lowest, highest: latency.highest, significantDigits });
  const to = makeHistogramLayout({ lowest, highest, significantDigits });
  const counts = new Map<number, number>();
  let overflow = 0;
  for (let i = 0; i < latency.buckets.length; i += 2) {
    const [index = 0, count = 0] = [latency.buckets[i], latency.buckets[i + 1]];
    const middleUs = (lowestValueAt(from, index) + highestValueAt(from, index)) / 2;
    for (let k = 0; k < readings; ) {
      const valueUs = middleUs + k * periodUs;
      const bucket = histogramIndexOf(to, Math.min(highest, Math.round(valueUs)));
      // Adds all further readings in the same bucket at once.
      const next =
        valueUs >= highest ? readings : Math.ceil((highestValueAt(to, bucket) + 0.5 - middleUs) / periodUs);
      const until = Math.min(readings, Math.max(k + 1, next));
      counts.set(bucket, (counts.get(bucket) ?? 0) + count * (until - k));
      if (valueUs > highest) overflow += count * (until - k);
      k = until;
    }
  }
  const buckets = [...counts].sort(([a], [b]) => a - b).flat();
  return { buckets, overflow };
}
