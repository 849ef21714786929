import { payloadBytesOf, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import {
  countersSchema,
  histogramJsonSchema,
  negotiatedSchema,
  phaseRecordSchema,
} from '@mqttlab/shared/domain/runs/role-result';
import { throughputSchema } from '@mqttlab/shared/domain/runs/throughput';
import { expect } from 'vitest';
import type { PlayedTrial } from './play-trial.ts';

/** Expects a result without losses, for any levels of the trial. */
export function expectLossless(spec: TrialSpec, trial: PlayedTrial): void {
  const { publisher, subscriber, sent, received, failures } = trial;
  const rate = (spec.readingsPerSecond ?? 0) / spec.readingsPerMessage;
  const messages = Math.round((rate * spec.publishers * spec.measureMs) / 1000);
  expect(failures).toEqual([]);
  expect(sent).toEqual({ messages, timedOut: false });
  expect(received).toEqual({ messages: messages * spec.subscribers, timedOut: false });
  expect(publisher.counters).toMatchObject({
    sent: messages,
    acknowledged: spec.qos > 0 ? messages : 0,
    unsent: 0,
  });
  expect(subscriber.counters).toMatchObject({
    received: messages * spec.subscribers,
    duplicate: 0,
    reordered: 0,
    unstamped: 0,
  });
  expect(subscriber.latency?.count).toBe(messages * spec.subscribers);
  expect(subscriber.latency?.min).toBeGreaterThan(0);
  expect(publisher.lateness?.count).toBe(messages);
  expect(publisher.lateness?.min).toBeGreaterThanOrEqual(0);
  expectThroughput(spec, trial, messages);
  expectWellFormed(trial);
}

/** Counted between the agreed instants: on a busy machine the last may be after them, and warm-up within. */
function expectThroughput(spec: TrialSpec, { publisher, subscriber }: PlayedTrial, messages: number): void {
  const [going, coming] = [publisher, subscriber].map(({ throughput }) => throughputSchema.parse(throughput));
  for (const one of [going, coming]) {
    expect((one?.endUs ?? 0) - (one?.startUs ?? 0)).toBeCloseTo(spec.measureMs * 1000, 3);
  }
  const { sent, arrived } = { sent: going?.sent, arrived: coming?.arrived };
  expect((sent?.firstHalf ?? 0) + (sent?.secondHalf ?? 0) + (sent?.afterwards ?? 0)).toBeGreaterThanOrEqual(
    messages,
  );
  const within = (arrived?.firstHalf ?? 0) + (arrived?.secondHalf ?? 0);
  // Messages sent this long before the end have arrived by then, even on the slowest machine.
  const heldUpUs = (publisher.lateness?.max ?? 0) + (subscriber.latency?.max ?? 0);
  const inTime = messages * spec.subscribers * Math.max(0, 1 - heldUpUs / (spec.measureMs * 1000));
  expect(within).toBeGreaterThanOrEqual(0.9 * inTime - spec.publishers * spec.subscribers);
  expect(arrived?.payloadBytes).toBe(within * payloadBytesOf(spec));
  if (within > 1) expect(arrived?.lastUs).toBeGreaterThan(arrived?.firstUs ?? Number.POSITIVE_INFINITY);
  expect(arrived?.longestSilenceUs).toBeGreaterThan(0);
}

/** Validates against the schemas of the contract. */
function expectWellFormed({ publisher, subscriber }: PlayedTrial): void {
  for (const result of [publisher, subscriber]) {
    for (const phase of result.phases) phaseRecordSchema.parse(phase);
    negotiatedSchema.parse(result.negotiated);
    countersSchema.parse(result.counters);
  }
  histogramJsonSchema.parse(subscriber.latency);
  histogramJsonSchema.parse(publisher.lateness);
}
