import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatNumber } from '../../format/number.ts';
import { deliveriesCounted, expectedDeliveries, resultsOf } from '../evidence/evidence.ts';
import { arrivedOf, endRoleOf } from '../evidence/throughput-evidence.ts';
import { carriesMessages, heldBackMs, inWords, longestDueGapMs } from '../workloads.ts';
import { timesAndPower } from './matters.ts';

/**
 * Maximum time without arrivals as a share of the run, in addition to the usual time between two messages ...
 */
const maxShare = 0.1;
/** ... if it is longer than this, in ms, because a busy machine occasionally pauses for shorter times. */
const minMs = 300;
/** In loads as fast as possible, arrivals are clustered, and gaps of this many times their mean are usual. */
const unevenness = 3;
/**
 * A rate-limited queue drops packets, and TCP may retransmit them only after this time (RFC 6298 section
 * 2.4).
 */
const retransmissionMs = 1000;

interface Silence {
  longestMs: number;
  runMs: number;
  /** Usual time between two messages under this load. */
  usualMs: number;
}

/** Returns null if arrivals were not counted. */
function silenceOf(evidence: RunEvidence): Silence | null {
  const { spec } = evidence;
  const throughput = arrivedOf(evidence);
  if (throughput === null) return null;
  const { startUs, endUs, arrived } = throughput;
  // A stream with a fixed number of messages ends when its last message arrives.
  const lastUs = spec.messages === null ? endUs : Math.max(endUs, arrived.lastUs ?? endUs);
  const runMs = (lastUs - startUs) / 1000;
  const lengths = resultsOf(evidence, endRoleOf(spec)).flatMap(
    (result) => result.throughput?.arrived?.longestSilenceUs ?? [],
  );
  // In a shared subscription, each message is sent to one device, so a pause counts only if no device
  // receives messages.
  const longestUs = spec.sharedSubscription ? Math.min(...lengths) : Math.max(...lengths);
  // Messages that arrived later were due within this time.
  const messages = Math.max(1, arrived.firstHalf + arrived.secondHalf, deliveriesCounted(evidence) ?? 0);
  const betweenMs = longestDueGapMs(spec) ?? (unevenness * runMs) / messages;
  const retransmitMs = spec.impairment.rateMbit === null ? 0 : retransmissionMs;
  const usualMs = betweenMs + heldBackMs(spec) + retransmitMs;
  return { longestMs: longestUs / 1000, runMs, usualMs };
}

export const keptArriving: VerdictDefinition = {
  id: 'kept-arriving',
  label: 'Messages kept arriving',
  fault: 'Messages stopped arriving for some time',
  remedy: 'Check the connection between the devices, and check for other programs on them, then run again.',
  matters: timesAndPower,
  judge: (evidence) => {
    const { spec } = evidence;
    if (!carriesMessages(spec.workload)) {
      return { status: 'not applicable', evidence: `${inWords(spec.workload)} sends no messages` };
    }
    if (spec.impairment.lossPercent > 0) {
      const lost = `the link drops ${spec.impairment.lossPercent} % of packets on purpose`;
      return { status: 'not applicable', evidence: `${lost}: messages wait for retransmissions` };
    }
    if (expectedDeliveries(evidence) === 0) {
      return { status: 'not applicable', evidence: 'no messages were expected to arrive' };
    }
    const silence = silenceOf(evidence);
    if (silence === null) return { status: 'not applicable', evidence: 'arrival times were not recorded' };
    const { longestMs, runMs, usualMs } = silence;
    const maxMs = usualMs + Math.max(minMs, maxShare * runMs);
    const share = `${formatNumber((100 * longestMs) / runMs)} % of the run`;
    return {
      status: longestMs <= maxMs ? 'passed' : 'failed',
      evidence: `longest period without arrivals ${formatNumber(longestMs)} ms, ${share}; limit ${formatNumber(maxMs)} ms`,
    };
  },
};
