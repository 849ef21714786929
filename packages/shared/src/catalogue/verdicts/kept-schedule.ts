import type { VerdictDefinition } from '../../domain/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram.ts';
import { countOf, resultOf, toMs } from '../evidence.ts';

/** P99 of lateness above which latency says more about the generator than about MQTT. */
const limitMs = 5;
/** Share of messages that may stay unsent at the end of the measure phase. */
const unsentLimit = 0.001;

export const keptSchedule: VerdictDefinition = {
  id: 'kept-schedule',
  label: 'Generator kept its schedule',
  judge: (evidence) => {
    if (evidence.spec.readingsPerSecond === null) {
      return { status: 'not applicable', evidence: 'as fast as possible: there is no schedule' };
    }
    const histogram = resultOf(evidence, 'publisher')?.lateness;
    const p99 = histogram ? toMs(LatencyHistogram.fromJson(histogram).percentile(99)) : null;
    if (!histogram || p99 === null) return { status: 'failed', evidence: 'no lateness was recorded' };
    const unsent = countOf(evidence, 'publisher', 'unsent') ?? 0;
    const share = unsent / (unsent + histogram.count);
    const figures = `lateness P99 ${p99.toFixed(2)} ms, limit ${limitMs} ms; ${unsent} unsent`;
    return { status: p99 <= limitMs && share <= unsentLimit ? 'passed' : 'failed', evidence: figures };
  },
};
