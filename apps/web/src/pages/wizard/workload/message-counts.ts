import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import { payloadBytesOf, stampBytes } from '@mqttlab/shared/domain/plans/trial-spec';
import { expectedMessages, offeredBitsPerSecond } from '@mqttlab/shared/planning/estimate';

export interface Range {
  min: number;
  max: number;
}

export interface MessageCounts {
  /** Messages that one run measures, over treatments that are paced; null where none is. */
  messages: Range | null;
  /** Payload bit/s that is offered, over treatments that are paced. */
  bitsPerSecond: Range | null;
  /** Treatments "as fast as possible": their number is known only afterwards. */
  unpaced: number;
  /** Treatments whose payload is too small for a time stamp, so that they have no latency. */
  unstamped: number;
  quantiles: QuantileReach[];
}

export interface QuantileReach {
  p: number;
  /** Messages of one run needed before the quantile is shown. */
  needed: number;
  /** Paced treatments that reach it, of all paced ones. */
  reached: number;
  paced: number;
}

const quantiles = [50, 95, 99, 99.9];

export function countMessages(treatments: readonly Treatment[]): MessageCounts {
  const counts = treatments.flatMap((treatment) => expectedMessages(treatment) ?? []);
  const bits = treatments.flatMap((treatment) => offeredBitsPerSecond(treatment) ?? []);
  return {
    messages: rangeOf(counts),
    bitsPerSecond: rangeOf(bits),
    unpaced: treatments.length - counts.length,
    unstamped: treatments.filter(({ spec }) => payloadBytesOf(spec) < stampBytes).length,
    quantiles: quantiles.map((p) => {
      const needed = enoughFor(p);
      return { p, needed, reached: counts.filter((count) => count >= needed).length, paced: counts.length };
    }),
  };
}

function rangeOf(values: readonly number[]): Range | null {
  return values.length === 0 ? null : { min: Math.min(...values), max: Math.max(...values) };
}

/** Seconds of measuring that the slowest paced treatment needs for a quantile; null where all reach it. */
export function secondsFor(
  { needed, reached, paced }: QuantileReach,
  messages: Range | null,
  measureMs: number,
): number | null {
  if (!messages || messages.min <= 0 || reached === paced) return null;
  return Math.ceil((needed / messages.min) * (measureMs / 1000));
}
