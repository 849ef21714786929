import type { ArrivedThroughput, SentThroughput, Throughput } from '../../domain/runs/throughput.ts';

/**
 * Of several devices of one role: counts added; of the times the first, the last and the longest. null as soon as one
 * of them did not count.
 */
export function mergeThroughput(all: readonly (Throughput | null)[]): Throughput | null {
  const known = all.filter((one) => one !== null);
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
    atFirst: sumOf(all, (one) => (one.firstUs === firstUs ? one.atFirst : 0)),
  };
}

function sumOf<Of>(all: readonly Of[], read: (one: Of) => number): number {
  return all.reduce((sum, one) => sum + read(one), 0);
}
