import { createServer } from 'node:net';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { LoadClient } from './load-client.ts';
import { MonotonicClock } from './pacing/clock.ts';
import { makePrepare, makeStart, phaseOf, playTrial } from './testing/play-trial.ts';
import { startTestBroker } from './testing/test-broker.ts';

async function brokerPort(): Promise<number> {
  const broker = await startTestBroker();
  onTestFinished(() => broker.stop());
  return broker.port;
}

/** Of the packet identifier in a PUBLISH to the topic of `makeTestSpec`. */
const idAt = 4 + 'mqttlab/test'.length;

/** CONNACK, SUBACK and PUBACK for all clients, except for changes by `spoil` on the n-th connection. */
async function shakyBroker(spoil: (n: number) => 'refuse' | 'silent after CONNACK' | null): Promise<number> {
  let connections = 0;
  const server = createServer((socket) => {
    const trick = spoil(connections);
    connections += 1;
    socket.on('error', () => {});
    if (trick === 'refuse') {
      socket.destroy();
      return;
    }
    socket.on('data', (bytes) => {
      const type = bytes[0]! >> 4;
      if (type === 1) socket.write(Buffer.from([0x20, 2, 0, 0]));
      if (type === 3 && trick === null)
        socket.write(Buffer.from([0x40, 2, ...bytes.subarray(idAt, idAt + 2)]));
      if (type === 3 && trick !== null) socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  return bound !== null && typeof bound === 'object' ? bound.port : 0;
}

/** The publisher's side only, from prepare to its result. */
async function publish(spec: TrialSpec, port: number, onPhase: (phase: string) => void = () => {}) {
  const trial = { spec, port };
  const client = new LoadClient({
    command: makePrepare(trial, 'publisher'),
    clock: new MonotonicClock().calibrate(),
    onPhase,
    onFailure: () => {},
    rehearses: false,
  });
  try {
    await client.prepare();
    await client.connect();
    client.start(makeStart(trial));
    const drained = await client.drain(null);
    const { soFar } = client.progress() ?? {};
    return { ...(await client.finish()), drained, soFar };
  } finally {
    await client.finish();
  }
}

describe('handshakes', () => {
  it('end with the measure phase if there is no time for all, and report it', async () => {
    const spec = makeTestSpec({
      workload: 'handshake',
      connections: 100_000,
      publishers: 4,
      measureMs: 3_000,
    });
    const { counters, facts, phases, histograms, soFar } = await publish(spec, await brokerPort());
    // The reports during the load agree with the result.
    const { sum, count } = histograms['phase.connect'] ?? { sum: 0, count: 0 };
    expect(soFar?.['setUp.connect']).toBeCloseTo(sum / count / 1000);
    expect(Object.keys(soFar ?? {}).sort()).toEqual(['setUp.connect', 'setUp.tcp']);
    const opened = counters?.connectionsOpened ?? 0;
    expect(opened).toBeGreaterThan(0);
    expect(opened).toBeLessThan(100_000);
    expect(facts['workload.ended']).toBe(`the measure phase ended after ${opened} of 100000 connections`);
    expect(phaseOf({ phases }, 'measure').durationUs).toBeGreaterThan(200_000);
  });

  it('that fail are counted with their reason, and the rest continues', async () => {
    // The first connection stays open to show the negotiated parameters.
    const port = await shakyBroker((n) => (n % 3 === 2 ? 'refuse' : null));
    const spec = makeTestSpec({ workload: 'handshake', connections: 12, warmUpMs: 0, measureMs: 30_000 });
    const { counters, histograms, degraded } = await publish(spec, port);
    expect(counters).toMatchObject({ connectionsOpened: 8, connectionsFailed: 4 });
    expect(histograms['phase.set-up']?.count).toBe(8);
    expect(degraded[0]?.reason).toMatch(/^4 of 12 connections failed; reason of the first failure: /);
  });
});

describe('a connection for each message', () => {
  it('counts messages on a lost connection as sent, not acknowledged', async () => {
    const port = await shakyBroker((n) => (n === 3 ? 'silent after CONNACK' : n === 5 ? 'refuse' : null));
    const load = { readingsPerSecond: 10, warmUpMs: 0, measureMs: 2_000 };
    const spec = makeTestSpec({ connectionUse: 'one per message', ...load });
    const { counters, degraded, drained } = await publish(spec, port);
    const { sent = 0, unsent = 0, acknowledged, connectionsOpened } = counters ?? {};
    expect(drained).toEqual({ messages: sent, timedOut: false });
    expect(counters?.connectionsFailed).toBe(2);
    expect([acknowledged, connectionsOpened]).toEqual([sent - 1, sent - 1]);
    // One was refused; on a slow machine more are missing.
    expect(unsent).toBeGreaterThanOrEqual(1);
    expect(sent + unsent).toBe(20);
    expect(degraded[0]?.collector).toBe('connections');
  });

  it('counts a message once if its connection was still being opened at the end', async () => {
    let connections = 0;
    const over = Promise.withResolvers<void>();
    const slow = createServer((socket) => {
      // The first connection shows the negotiated parameters; the message's own opens after the load has ended.
      const accepts = connections === 0 ? Promise.resolve() : over.promise;
      connections += 1;
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        if (bytes[0]! >> 4 === 1) void accepts.then(() => socket.write(Buffer.from([0x20, 2, 0, 0])));
      });
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void slow.close());
    const bound = slow.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
    const load = { readingsPerSecond: 1, warmUpMs: 0, measureMs: 1_000 };
    const spec = makeTestSpec({ workload: 'reconnect', qos: 0, ...load });
    const { counters, drained } = await publish(spec, port, (phase) => {
      if (phase === 'drain') over.resolve();
    });
    expect(drained.messages).toBe(1);
    expect(counters).toMatchObject({ sent: 1, unsent: 0, connectionsOpened: 1 });
  });

  it('sends as fast as possible without a rate', async () => {
    const spec = makeTestSpec({
      workload: 'reconnect',
      readingsPerSecond: null,
      publishers: 3,
      measureMs: 400,
    });
    const trial = await playTrial({ spec, port: await brokerPort() });
    expect(trial.sent.messages).toBeGreaterThan(3);
    expect(trial.received.messages).toBe(trial.sent.messages);
    expect(trial.publisher.counters).toMatchObject({ unsent: 0, acknowledged: trial.sent.messages });
    expect(trial.publisher.lateness).toBeNull();
  });

  it('counts latency from the due time, the opening included', async () => {
    const spec = makeTestSpec({ workload: 'reconnect', readingsPerSecond: 10, measureMs: 2_000 });
    const { publisher, subscriber } = await playTrial({ spec, port: await brokerPort() });
    const setUp = LatencyHistogram.fromJson(publisher.histograms['phase.set-up']);
    const latency = LatencyHistogram.fromJson(subscriber.latency);
    expect(latency.meanUs).toBeGreaterThan(setUp.meanUs ?? Number.POSITIVE_INFINITY);
  });

  it('leaves no connection behind', async () => {
    let open = 0;
    const server = createServer((socket) => {
      open += 1;
      socket.on('close', () => (open -= 1)).on('error', () => {});
      socket.on('data', (bytes) => bytes[0]! >> 4 === 1 && socket.write(Buffer.from([0x20, 2, 0, 0])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const bound = server.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
    await publish(makeTestSpec({ workload: 'reconnect', qos: 0, readingsPerSecond: 30 }), port);
    await expect.poll(() => open).toBe(0);
  });
});

describe('payloads', () => {
  it('too short for a stamp are also sent on separate connections, without latency', async () => {
    const load = { readingBytes: 3, readingsPerSecond: 10, measureMs: 2_000 };
    const spec = makeTestSpec({ workload: 'reconnect', ...load });
    const { publisher, subscriber } = await playTrial({ spec, port: await brokerPort() });
    const sent = publisher.counters?.sent;
    expect(sent).toBeGreaterThan(0);
    expect(subscriber.counters).toMatchObject({ received: sent, unstamped: sent });
    expect(subscriber.latency).toBeNull();
    expect(Object.keys(subscriber.histograms)).toEqual(['kept.set-up']);
  });
});
