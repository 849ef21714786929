import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import {
  boundShare,
  isTrusted,
  latencyBoundUs,
  latencyKind,
  latencyOf,
  resultOf,
  toMs,
} from '../evidence/evidence.ts';
import { latencies } from './matters.ts';

const limit = `limit ${boundShare * 100} % of the median`;

export const clockGoodEnough: VerdictDefinition = {
  id: 'clock-good-enough',
  label: 'Clock uncertainty small compared with latency',
  fault: 'Clock uncertainty too large for this latency',
  remedy: 'Synchronise the devices’ clocks, or compare round-trip latency, then run again.',
  matters: latencies,
  judge: (evidence) => {
    const oneWay = resultOf(evidence, 'subscriber')?.latency ?? null;
    const used = latencyOf(evidence);
    if (!used) return { status: 'not applicable', evidence: 'no message with latency' };
    const boundUs = latencyBoundUs(evidence);
    const bound = boundUs === null ? 'the clocks were not compared' : `±${milliseconds(boundUs)}`;
    const oneWayWords = oneWay?.count
      ? `one-way ${medianOf(oneWay)} ${bound}, ${limit}`
      : 'no one-way latency';
    if (latencyKind(evidence) === 'round-trip') {
      const figures = `${oneWayWords}: using round-trip latency, ${medianOf(used)}, measured with one clock`;
      return { status: 'passed', evidence: figures };
    }
    const early = used.underflow > 0 ? `; ${used.underflow} arrived before they were sent` : '';
    const clocks = boundUs === 0 ? 'one clock: ' : '';
    const figures = `${clocks}${oneWayWords}${early}`;
    return { status: isTrusted(used, boundUs) ? 'passed' : 'failed', evidence: figures };
  },
};

function medianOf(histogram: Parameters<typeof LatencyHistogram.fromJson>[0]): string {
  return milliseconds(LatencyHistogram.fromJson(histogram).percentile(50) ?? 0);
}

function milliseconds(us: number): string {
  return `${(toMs(us) ?? 0).toFixed(3)} ms`;
}
