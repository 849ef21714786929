import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { expectLossless } from './testing/expect-lossless.ts';
import { phaseOf, playTrial } from './testing/play-trial.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker();
});
afterAll(() => broker.stop());

// The window is large enough for a machine that sometimes pauses for a second.
const short = { readingsPerSecond: 400, warmUpMs: 50, measureMs: 200, window: 1_000 };

describe('a plain Trial', () => {
  // The matrix of real runs (apps/server/src/run/matrix.realtime.test.ts) has every version with every QoS.
  it.each([
    ['3.1', 0],
    ['3.1.1', 1],
    ['5.0', 2],
  ] as const)('over MQTT %s at QoS %i delivers exactly the scheduled messages', async (mqttVersion, qos) => {
    const spec = makeTestSpec({ ...short, mqttVersion, qos, topic: `plain/${mqttVersion}/${qos}` });
    const trial = await playTrial({ spec, port: broker.port, offsetUs: 3.5e9 });
    expectLossless(spec, trial);
    expect(trial.subscriber.negotiated).toMatchObject({
      protocol: null,
      mqttVersion,
      grantedQos: qos,
      receiveMaximum: mqttVersion === '5.0' ? 65_535 : null,
      remotePort: broker.port,
    });
    expect(trial.publisher.phases.map(({ phase }) => phase)).toEqual([
      'tcp',
      'connect',
      'warm-up',
      'measure',
      'drain',
      'disconnect',
    ]);
    expect(trial.subscriber.phases.map(({ phase }) => phase)).toContain('subscribe');
  });

  it('adds up several publishers and subscribers', async () => {
    const spec = makeTestSpec({
      ...short,
      readingsPerSecond: 100,
      publishers: 13,
      subscribers: 3,
      topic: 'many',
    });
    const trial = await playTrial({ spec, port: broker.port });
    expectLossless(spec, trial);
    expect(trial.publisher.localPorts).toHaveLength(13);
    expect(new Set(trial.publisher.localPorts).size).toBe(13);
    expect(phaseOf(trial.publisher, 'tcp').connections).toBe(13);
  });

  it('sends batches of readings when they are complete', async () => {
    const spec = makeTestSpec({
      ...short,
      readingsPerSecond: 2_000,
      readingsPerMessage: 20,
      topic: 'batches',
    });
    const trial = await playTrial({ spec, port: broker.port });
    expectLossless(spec, trial);
    expect(trial.publisher.counters?.payloadBytesSent).toBe(20 * 20 * 64);
  });

  it.each([1, 3, 12])('times %i permanent connections from SYN to CONNACK', async (publishers) => {
    const spec = makeTestSpec({ ...short, publishers, topic: 'set-up' });
    const { publisher } = await playTrial({ spec, port: broker.port });
    const setUps = publisher.histograms['kept.set-up'];
    expect(setUps?.count).toBe(publishers);
    const [tcp, connect] = (['tcp', 'connect'] as const).map((name) => phaseOf(publisher, name));
    for (const record of [tcp, connect]) expect(record?.connections).toBe(publishers);
    const meanUs = (setUps?.sum ?? 0) / publishers;
    expect(meanUs).toBeCloseTo((tcp?.durationUs ?? 0) + (connect?.durationUs ?? 0), 1);
    if (publishers === 1 && tcp && connect) expect(connect.startUs).toBe(tcp.startUs + tcp.durationUs);
  });

  it('delivers messages larger than any buffer', async () => {
    const spec = makeTestSpec({ ...short, readingsPerSecond: 20, readingBytes: 900_000, topic: 'large' });
    expectLossless(spec, await playTrial({ spec, port: broker.port }));
  });

  it('counts messages too short for a stamp, without latency', async () => {
    const spec = makeTestSpec({ ...short, readingBytes: 5, topic: 'short' });
    const { publisher, subscriber } = await playTrial({ spec, port: broker.port });
    expect(publisher.counters?.sent).toBe(80);
    expect(subscriber.counters).toMatchObject({ received: 80, unstamped: 80, payloadBytesReceived: 400 });
    expect(subscriber.latency).toBeNull();
  });

  it.each([0, 1, 2] as const)('sends as fast as possible at QoS %i with correct counts', async (qos) => {
    const flatOut = {
      readingsPerSecond: null,
      window: 50,
      warmUpMs: 50,
      // Long enough for the kernel's buffers, full after the warm-up, to accept some more.
      measureMs: 900,
      drainTimeoutMs: 15_000,
    };
    const spec = makeTestSpec({ ...flatOut, qos, topic: `flat-out/${qos}` });
    const { publisher, subscriber, sent, received } = await playTrial({ spec, port: broker.port });
    // None at all if a broker without CPU time does not empty the buffers.
    expect(received).toEqual({ messages: sent.messages, timedOut: false });
    expect(publisher.counters?.acknowledged).toBe(qos === 0 ? 0 : sent.messages);
    expect(publisher.lateness).toBeNull();
    expect(subscriber.latency?.count ?? 0).toBe(sent.messages);
  });

  it('respects the window and reports unsent messages', async () => {
    // One message in flight and a broker stopped half-way: no further acknowledgement arrives.
    const spec = makeTestSpec({
      ...short,
      qos: 1,
      window: 3,
      drainTimeoutMs: 200,
      measureMs: 400,
      topic: 'stuck',
    });
    const stuck = await startTestBroker();
    try {
      setTimeout(() => process.kill(stuck.pid, 'SIGSTOP'), 2_500);
      const late = { ...spec, warmUpMs: 3_000 };
      const { publisher, sent } = await playTrial({ spec: late, port: stuck.port });
      expect(sent.timedOut).toBe(true);
      expect(publisher.counters).toMatchObject({ sent: 0, acknowledged: 0, unsent: 160 });
    } finally {
      await stuck.stop();
    }
  });
});
