import { deliveriesOf, isCoap, payloadBytesOf, type TrialSpec } from '../../domain/plans/trial-spec.ts';
import type { ArrivedThroughput, SentThroughput, Throughput } from '../../domain/runs/throughput.ts';
import type { RunEvidence } from '../../domain/runs/verdict.ts';
import { carriesMessages, endsEarly } from '../workloads.ts';
import { countOf, deliveriesCounted, expectedDeliveries, phaseOf, resultOf } from './evidence.ts';

/** Messages and payload bytes delivered within a number of seconds. */
export interface Deliveries {
  messages: number;
  payloadBytes: number;
  seconds: number;
}

/**
 * Returns the role at which messages arrive: the subscriber; for CoAP, the publisher, which receives the
 * responses.
 */
export function endRoleOf(spec: Pick<TrialSpec, 'applicationProtocol'>): 'publisher' | 'subscriber' {
  return isCoap(spec) ? 'publisher' : 'subscriber';
}

/** Returns null if the workload sends no messages, or if the run did not count arrivals in the measure phase. */
export function arrivedOf(evidence: RunEvidence): (Throughput & { arrived: ArrivedThroughput }) | null {
  if (!carriesMessages(evidence.spec.workload)) return null;
  const throughput = resultOf(evidence, endRoleOf(evidence.spec))?.throughput;
  return throughput?.arrived ? { ...throughput, arrived: throughput.arrived } : null;
}

export function sentOf(evidence: RunEvidence): SentThroughput | null {
  return carriesMessages(evidence.spec.workload)
    ? (resultOf(evidence, 'publisher')?.throughput?.sent ?? null)
    : null;
}

/**
 * Returns the deliveries in the measure phase and its length. For a stream with a fixed number of messages,
 * returns the deliveries after the first arrival, and the time from the first to the last arrival.
 */
export function deliveriesWhileMeasuring(evidence: RunEvidence): Deliveries | null {
  const throughput = arrivedOf(evidence);
  if (throughput === null) return countedByEarlierVersions(evidence);
  const { arrived, startUs, endUs } = throughput;
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

/**
 * Earlier versions counted all arrivals over the measure phase; with loads as fast as possible, also over the
 * drain.
 */
function countedByEarlierVersions(evidence: RunEvidence): Deliveries | null {
  const { spec } = evidence;
  const measure = phaseOf(evidence, endRoleOf(spec), 'measure');
  const messages = deliveriesCounted(evidence);
  if (!carriesMessages(spec.workload) || measure === undefined || messages === null) return null;
  const drain = spec.readingsPerSecond === null ? phaseOf(evidence, endRoleOf(spec), 'drain') : undefined;
  const seconds = (measure.durationUs + (drain?.durationUs ?? 0)) / 1e6;
  return { messages, payloadBytes: messages * payloadBytesOf(spec), seconds };
}

/**
 * Returns the number of messages delivered in the measure phase, each counted once regardless of the number
 * of subscribers. This is the basis for CPU time and energy per message. Includes messages altered on
 * purpose, although receivers reject them.
 */
export function messagesHandled(evidence: RunEvidence): number | null {
  const { spec } = evidence;
  const throughput = arrivedOf(evidence);
  const sent = countOf(evidence, 'publisher', 'sent');
  const expected = expectedDeliveries(evidence);
  if (throughput === null || sent === null || !expected) return sent;
  const deliveries = isCoap(spec) ? 1 : deliveriesOf(spec);
  const arrived = (throughput.arrived.firstHalf + throughput.arrived.secondHalf) / deliveries;
  return arrived * (sent / (expected / deliveries));
}

/** Returns the number of messages that publishers sent in the measure phase. */
export function messagesSent(evidence: RunEvidence): number | null {
  const sent = sentOf(evidence);
  return sent === null ? countOf(evidence, 'publisher', 'sent') : sent.firstHalf + sent.secondHalf;
}

/** Returns the number of deliveries to all subscribers in the measure phase. */
export function messagesArrived(evidence: RunEvidence): number | null {
  const throughput = arrivedOf(evidence);
  if (throughput === null || isCoap(evidence.spec)) return countOf(evidence, 'subscriber', 'received');
  return throughput.arrived.firstHalf + throughput.arrived.secondHalf;
}
