import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { describe, expect, it } from 'vitest';
import { makeTestSpec } from '../../testing/specs.ts';
import { phaseOf, playTrial } from '../testing/play-trial.ts';
import { startTestBroker } from '../testing/test-broker.ts';

async function play(change: Partial<TrialSpec>) {
  const spec = makeTestSpec({
    mqttVersion: '5.0',
    publishers: 2,
    subscribers: 2,
    messages: 30,
    warmUpMs: 200,
    measureMs: 60_000,
    ...change,
  });
  const broker = await startTestBroker();
  try {
    return await playTrial({ spec, port: broker.port });
  } finally {
    await broker.stop();
  }
}

describe('a stream with a message count', () => {
  it.each([
    ['on a schedule', 0, 200, 1000],
    ['on a schedule', 1, 200, 1000],
    ['on a schedule', 2, 200, 1000],
    ['one after the other', 1, null, 1],
    ['as fast as possible', 0, null, 1000],
    ['as fast as possible', 2, null, 10],
  ] as const)('ends with the last of them %s at QoS %i', async (...[, qos, readingsPerSecond, window]) => {
    // Without acknowledgements a warm-up sends more than the broker queues for a slow subscriber.
    const floods = qos === 0 && readingsPerSecond === null;
    const { publisher, subscriber, sent, received, failures } = await play({
      qos,
      readingsPerSecond,
      window,
      ...(floods ? { warmUpMs: 0 } : {}),
    });
    expect(failures).toEqual([]);
    expect(sent).toEqual({ messages: 60, timedOut: false });
    expect(received).toEqual({ messages: 120, timedOut: false });
    expect(publisher.counters).toMatchObject({ sent: 60, unsent: 0, acknowledged: qos === 0 ? 0 : 60 });
    expect(subscriber.counters).toMatchObject({ received: 120, duplicate: 0 });
    // From due to acknowledged, of measured messages only.
    expect(publisher.histograms.exchange?.count).toBe(qos === 0 ? undefined : 60);
    const { sent: handed = null } = publisher.throughput ?? {};
    expect((handed?.firstHalf ?? 0) + (handed?.secondHalf ?? 0)).toBeGreaterThanOrEqual(60);
    const { firstUs, lastUs, atFirst = 0 } = subscriber.throughput?.arrived ?? {};
    expect(atFirst).toBeGreaterThan(0);
    expect((lastUs ?? 0) - (firstUs ?? 0)).toBeLessThan(30e6);
    expect(subscriber.throughput?.endUs).toBeLessThan((subscriber.throughput?.startUs ?? 0) + 30e6);
    for (const result of [publisher, subscriber]) {
      expect(phaseOf(result, 'measure').durationUs).toBeLessThan(30e6);
    }
  });

  it('ends with its time if that is earlier', async () => {
    const { sent, publisher } = await play({ messages: 10_000, measureMs: 500, readingsPerSecond: 100 });
    expect(sent.messages).toBe(100);
    expect(publisher.counters).toMatchObject({ sent: 100, unsent: 0 });
  });
});
