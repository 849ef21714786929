import { deliveriesOf, isCoap, payloadBytesOf, type TrialSpec } from '../../domain/plans/trial-spec.ts';
import type { ArrivedThroughput, SentThroughput, Throughput } from '../../domain/runs/throughput.ts';
import type { RunEvidence } from '../../domain/runs/verdict.ts';
import { carriesMessages, endsEarly } from '../workloads.ts';
import { countOf, deliveriesCounted, expectedDeliveries, phaseOf, resultOf } from './evidence.ts';

/** Messages and payload bytes in so many seconds. */
export interface Deliveries {
  messages: number;
  payloadBytes: number;
  seconds: number;
}

/** Where messages end: at the subscribers, of CoAP as answers at the publishers. */
export function endRoleOf(spec: Pick<TrialSpec, 'applicationProtocol'>): 'publisher' | 'subscriber' {
  return isCoap(spec) ? 'publisher' : 'subscriber';
}

/** null where no messages travel, and in runs that did not count them while measuring. */
export function arrivedOf(evidence: RunEvidence): (Throughput & { arrived: ArrivedThroughput }) | null {
  if (!carriesMessages(evidence.spec.workload)) return null;
  const found = resultOf(evidence, endRoleOf(evidence.spec))?.throughput;
  return found?.arrived ? { ...found, arrived: found.arrived } : null;
}

export function sentOf(evidence: RunEvidence): SentThroughput | null {
  return carriesMessages(evidence.spec.workload)
    ? (resultOf(evidence, 'publisher')?.throughput?.sent ?? null)
    : null;
}

/**
 * What arrived while measuring, over the time of measuring; of a stream that ends after so many messages what came
 * behind the first arrival, up to the last.
 */
export function deliveriesWhileMeasuring(evidence: RunEvidence): Deliveries | null {
  const found = arrivedOf(evidence);
  if (found === null) return asCountedBefore(evidence);
  const { arrived, startUs, endUs } = found;
  if (!endsEarly(evidence.spec)) {
    const messages = arrived.firstHalf + arrived.secondHalf;
    return { messages, payloadBytes: arrived.payloadBytes, seconds: (endUs - startUs) / 1e6 };
  }
  const measured = deliveriesCounted(evidence);
  if (measured === null || arrived.firstUs === null || arrived.lastUs === null) return null;
  const messages = measured - arrived.atFirst;
  const payloadBytes = messages * payloadBytesOf(evidence.spec);
  return { messages, payloadBytes, seconds: (arrived.lastUs - arrived.firstUs) / 1e6 };
}

/** Runs of before counted all that ever arrived: over the measure phase, at full speed over the drain too. */
function asCountedBefore(evidence: RunEvidence): Deliveries | null {
  const { spec } = evidence;
  const measure = phaseOf(evidence, endRoleOf(spec), 'measure');
  const messages = deliveriesCounted(evidence);
  if (!carriesMessages(spec.workload) || measure === undefined || messages === null) return null;
  const drain = spec.readingsPerSecond === null ? phaseOf(evidence, endRoleOf(spec), 'drain') : undefined;
  const seconds = (measure.durationUs + (drain?.durationUs ?? 0)) / 1e6;
  return { messages, payloadBytes: messages * payloadBytesOf(spec), seconds };
}

/**
 * Messages that went all the way while measuring, each once however many subscribers it reached: what CPU time and
 * energy of that time were spent on. Those that were altered on purpose went as far, though nobody counts them.
 */
export function messagesHandled(evidence: RunEvidence): number | null {
  const { spec } = evidence;
  const found = arrivedOf(evidence);
  const sent = countOf(evidence, 'publisher', 'sent');
  const expected = expectedDeliveries(evidence);
  if (found === null || sent === null || !expected) return sent;
  const deliveries = isCoap(spec) ? 1 : deliveriesOf(spec);
  const arrived = (found.arrived.firstHalf + found.arrived.secondHalf) / deliveries;
  return arrived * (sent / (expected / deliveries));
}

/** Messages that publishers handed over while measuring. */
export function messagesSent(evidence: RunEvidence): number | null {
  const sent = sentOf(evidence);
  return sent === null ? countOf(evidence, 'publisher', 'sent') : sent.firstHalf + sent.secondHalf;
}

/** Deliveries to all subscribers while measuring. */
export function messagesArrived(evidence: RunEvidence): number | null {
  const found = arrivedOf(evidence);
  if (found === null || isCoap(evidence.spec)) return countOf(evidence, 'subscriber', 'received');
  return found.arrived.firstHalf + found.arrived.secondHalf;
}
