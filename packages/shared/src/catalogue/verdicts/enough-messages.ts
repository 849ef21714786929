import { isCoap, payloadBytesOf, stampBytes } from '../../domain/plans/trial-spec.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { latencyOf, resultOf } from '../evidence/evidence.ts';
import { enoughFor } from '../metrics/latency.ts';
import { carriesMessages } from '../workloads.ts';
import { quantiles } from './matters.ts';

/**
 * Counts the samples for this workload's quantiles: connections if it opens connections, messages otherwise.
 */
function countSamples(evidence: RunEvidence): { count: number; what: string } {
  const { workload } = evidence.spec;
  if (workload === 'handshake') {
    const setUps = resultOf(evidence, 'publisher')?.histograms['phase.set-up'];
    return { count: setUps?.count ?? 0, what: 'connections timed' };
  }
  if (workload === 'availability') {
    const { connectionsOpened = 0, connectionsFailed = 0 } = resultOf(evidence, 'subscriber')?.counters ?? {};
    return { count: connectionsOpened + connectionsFailed, what: 'attempts to connect' };
  }
  if (isCoap(evidence.spec)) {
    const exchanges = resultOf(evidence, 'publisher')?.histograms.exchange;
    return { count: exchanges?.count ?? 0, what: 'exchanges timed' };
  }
  return { count: latencyOf(evidence)?.count ?? 0, what: 'messages with latency' };
}

export const enoughMessages: VerdictDefinition = {
  id: 'enough-messages',
  label: 'Enough samples for the displayed quantiles',
  fault: 'Too few samples for quantiles',
  remedy: 'Clone the plan with a longer measurement or more messages per second.',
  matters: quantiles,
  judge: (evidence) => {
    if (evidence.spec.workload === 'states') {
      const counted = resultOf(evidence, 'publisher')?.counters?.connectionsOpened ?? 0;
      return counted > 0
        ? { status: 'not applicable', evidence: `bytes from ${counted} connections, no quantiles` }
        : { status: 'failed', evidence: '0 connections were counted' };
    }
    const { count, what } = countSamples(evidence);
    const payload = payloadBytesOf(evidence.spec);
    if (
      count === 0 &&
      carriesMessages(evidence.spec.workload) &&
      !isCoap(evidence.spec) &&
      payload < stampBytes
    ) {
      return {
        status: 'failed',
        evidence: `a payload of ${payload} B has no room for the time stamp of ${stampBytes} B, so 0 ${what}`,
      };
    }
    const good = [99.9, 99, 95, 50].find((p) => count >= enoughFor(p));
    return good === undefined
      ? { status: 'failed', evidence: `${count} ${what}, too few even for the median (${enoughFor(50)})` }
      : { status: 'passed', evidence: `${count} ${what}, enough for quantiles up to P${good}` };
  },
};
