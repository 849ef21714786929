import { expect, test } from 'vitest';
import { carryOutRun, startLab } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

test('a publisher measures round trips on request, without effect on the others', async () => {
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
  // CPU time of its process is reported, so that it does not count as that of another program.
  const helpers = publisher.series.find(({ metric }) => metric === 'cpu.helpers')?.values ?? [];
  expect(Math.max(...helpers.map((percent) => percent ?? 0))).toBeGreaterThan(0);
  // Its connection is not counted as one of the publisher's.
  expect(publisher.localPorts).toHaveLength(1);
});

test('round trips are not measured by default', async () => {
  const lab = await startLab();
  const { results } = await carryOutRun(lab, { runId: 1, spec: makeTestSpec(), tls: null });
  expect(results.publisher.histograms.roundTrip).toBeUndefined();
  expect(results.publisher.series.map(({ metric }) => metric)).not.toContain('cpu.helpers');
});
