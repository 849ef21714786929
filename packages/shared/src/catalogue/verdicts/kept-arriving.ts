import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatNumber } from '../../format/number.ts';
import { deliveriesCounted, expectedDeliveries, resultsOf } from '../evidence/evidence.ts';
import { arrivedOf, endRoleOf } from '../evidence/throughput-evidence.ts';
import { carriesMessages, heldBackMs, inWords, longestDueGapMs } from '../workloads.ts';
import { timesAndPower } from './matters.ts';

/** Share of the run in which nothing may arrive, beyond the time between two messages ... */
const maxShare = 0.1;
/** ... and how long that must be to count: a busy machine stands still for shorter times now and then. ms. */
const minMs = 300;
/** As fast as possible arrivals come in pieces: so many times their mean distance is nothing unusual. */
const unevenness = 3;
/** A queue with a limited rate drops what waits too long; TCP may take so long to send it again (RFC 6298 section 2.4). */
const repetitionMs = 1000;

interface Silence {
  longestMs: number;
  runMs: number;
  /** What lies between two messages of this load anyway. */
  usualMs: number;
}

/** null where nobody has counted. */
function silenceOf(evidence: RunEvidence): Silence | null {
  const { spec } = evidence;
  const found = arrivedOf(evidence);
  if (found === null) return null;
  const { startUs, endUs, arrived } = found;
  // A stream of so many messages is listened to until its last, whenever that comes.
  const heardUs = spec.messages === null ? endUs : Math.max(endUs, arrived.lastUs ?? endUs);
  const runMs = (heardUs - startUs) / 1000;
  const lengths = resultsOf(evidence, endRoleOf(spec)).flatMap(
    ({ throughput }) => throughput?.arrived?.longestSilenceUs ?? [],
  );
  // Of a shared subscription a message goes to one of the devices: only all of them hear everything.
  const longestUs = spec.sharedSubscription ? Math.min(...lengths) : Math.max(...lengths);
  // Those that came later would have come meanwhile.
  const messages = Math.max(1, arrived.firstHalf + arrived.secondHalf, deliveriesCounted(evidence) ?? 0);
  const betweenMs = longestDueGapMs(spec) ?? (unevenness * runMs) / messages;
  const againMs = spec.impairment.rateMbit === null ? 0 : repetitionMs;
  const usualMs = betweenMs + heldBackMs(spec) + againMs;
  return { longestMs: longestUs / 1000, runMs, usualMs };
}

export const keptArriving: VerdictDefinition = {
  id: 'kept-arriving',
  label: 'Messages kept arriving',
  fault: 'Messages stopped arriving for a while',
  remedy: 'Check the connection between the devices and what else runs on them, then run them again.',
  matters: timesAndPower,
  judge: (evidence) => {
    const { spec } = evidence;
    if (!carriesMessages(spec.workload)) {
      return { status: 'not applicable', evidence: `${inWords(spec.workload)} sends no messages` };
    }
    if (spec.impairment.lossPercent > 0) {
      const lost = `the link loses ${spec.impairment.lossPercent} % of packets on purpose`;
      return { status: 'not applicable', evidence: `${lost}: what waits for their repetition stands still` };
    }
    if (expectedDeliveries(evidence) === 0) {
      return { status: 'not applicable', evidence: 'nothing was expected to arrive' };
    }
    const silence = silenceOf(evidence);
    if (silence === null) return { status: 'not applicable', evidence: 'arrival times were not recorded' };
    const { longestMs, runMs, usualMs } = silence;
    const maxMs = usualMs + Math.max(minMs, maxShare * runMs);
    const share = `${formatNumber((100 * longestMs) / runMs)} % of the run`;
    return {
      status: longestMs <= maxMs ? 'passed' : 'failed',
      evidence: `nothing arrived for ${formatNumber(longestMs)} ms at most, ${share}; limit ${formatNumber(maxMs)} ms`,
    };
  },
};
