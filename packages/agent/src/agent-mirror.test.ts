import { expect, test } from 'vitest';
import { carryOutRun, startLab } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

test('a publisher that is told to takes the round trip too, and nobody else notices', async () => {
  const lab = await startLab();
  const { results } = await carryOutRun(lab, { runId: 1, spec: makeTestSpec(), tls: null, mirror: true });
  const { publisher, subscriber } = results;
  const { roundTrip } = publisher.histograms;
  expect(publisher.degraded).toEqual([]);
  expect(roundTrip?.count).toBe(publisher.counters?.sent);
  expect(roundTrip?.min).toBeGreaterThan(0);
  expect(subscriber.counters?.received).toBe(publisher.counters?.sent);
  expect(subscriber.latency?.count).toBe(roundTrip?.count);
  expect(subscriber.histograms.roundTrip).toBeUndefined();
  // Its connection is not counted as one of the publisher's.
  expect(publisher.localPorts).toHaveLength(1);
}, 60_000);

test('without being told there is no round trip', async () => {
  const lab = await startLab();
  const { results } = await carryOutRun(lab, { runId: 1, spec: makeTestSpec(), tls: null });
  expect(results.publisher.histograms.roundTrip).toBeUndefined();
}, 60_000);
