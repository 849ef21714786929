import { createSocket, type Socket } from 'node:dgram';
import { setTimeout as wait } from 'node:timers/promises';
import type { BrokerPorts } from '@mqttlab/shared/domain/devices/broker-ports';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCoapServer } from '../../brokers/embedded.ts';
import { ChildRecords } from '../../processes/child-records.ts';
import { testEntry } from '../../testing/entry.ts';
import { makeTestSpec } from '../../testing/specs.ts';
import { makeTemporaryFolder } from '../../testing/temporary-folder.ts';
import { phaseOf, playTrial } from '../testing/play-trial.ts';

function makeSpec(change: Partial<TrialSpec> = {}): TrialSpec {
  return makeTestSpec({
    applicationProtocol: 'coap confirmable',
    readingBytes: 1000,
    window: 1,
    drainTimeoutMs: 20_000,
    ...change,
  });
}

function makeServer(spec: TrialSpec, ports?: BrokerPorts) {
  const folder = makeTemporaryFolder();
  const server = makeCoapServer(testEntry, {
    spec,
    tls: null,
    address: '127.0.0.1',
    ports,
    folder,
    onLog: () => {},
    records: new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} }),
  });
  onTestFinished(() => server.stop());
  return server;
}

async function startServer(spec: TrialSpec): Promise<number> {
  const { port, pid } = await makeServer(spec).start();
  expect(pid).not.toBeNull();
  return port;
}

/** A load of non-confirmable messages, one after the other. */
function makeUnconfirmed(messages: number): TrialSpec {
  return makeSpec({
    applicationProtocol: 'coap non-confirmable',
    messages,
    readingsPerSecond: null,
    measureMs: 40_000,
    warmUpMs: 0,
  });
}

/** Relays datagrams between one client after the other and the server, except those that `drops` names. */
async function startLossyWay(serverPort: number, drops: (n: number) => boolean): Promise<number> {
  const toServer = new Map<number, Socket>();
  const front = createSocket('udp4');
  let passed = 0;
  front.on('message', (message, from) => {
    passed += 1;
    if (drops(passed)) return;
    let back = toServer.get(from.port);
    if (back === undefined) {
      back = createSocket('udp4');
      back.on('message', (answer) => front.send(answer, from.port, '127.0.0.1'));
      toServer.set(from.port, back);
    }
    back.send(message, serverPort, '127.0.0.1');
  });
  await new Promise<void>((resolve) => front.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    front.close();
    for (const socket of toServer.values()) socket.close();
  });
  return front.address().port;
}

describe.each(['coap confirmable', 'coap non-confirmable'] as const)('%s', (applicationProtocol) => {
  it.each([
    ['on a schedule', { readingsPerSecond: 100 }],
    ['one after the other', { readingsPerSecond: null }],
    ['with several publishers and a larger window', { readingsPerSecond: null, publishers: 3, window: 4 }],
  ] as const)('exchanges the planned number of messages %s', async (_how, change) => {
    const spec = makeSpec({ applicationProtocol, messages: 40, measureMs: 30_000, ...change });
    const trial = await playTrial({ spec, port: await startServer(spec) });
    const messages = 40 * spec.publishers;
    expect(trial.failures).toEqual([]);
    expect(trial.sent).toEqual({ messages, timedOut: false });
    expect(trial.received).toEqual({ messages: 0, timedOut: false });
    expect(trial.publisher.counters).toMatchObject({ sent: messages, acknowledged: messages, unsent: 0 });
    expect(trial.publisher.histograms.exchange?.count).toBe(messages);
    const { sent, arrived } = trial.publisher.throughput ?? {};
    expect((sent?.firstHalf ?? 0) + (sent?.secondHalf ?? 0)).toBeGreaterThanOrEqual(messages);
    expect(arrived?.lastUs).toBeGreaterThan(arrived?.firstUs ?? Number.POSITIVE_INFINITY);
    expect(arrived?.payloadBytes).toBeGreaterThan((messages * 1000) / 2);
    expect(trial.subscriber.throughput).toBeNull();
    expect(trial.publisher.negotiated).toMatchObject({ localAddress: '127.0.0.1', protocol: null });
    expect(trial.subscriber.negotiated).toBeNull();
    // Header, token, Uri-Path and marker before 1,000 B; the answer has header and token (RFC 7252 section 3).
    const measured = phaseOf(trial.publisher, 'measure');
    const drained = phaseOf(trial.publisher, 'drain');
    const bytes = (key: 'bytesSent' | 'bytesReceived') => (measured[key] ?? 0) + (drained[key] ?? 0);
    // Messages count by due time, bytes by send time: each publisher's first message may be before the boundary.
    const within = messages - spec.publishers;
    expect(bytes('bytesSent')).toBeGreaterThanOrEqual(within * 1015);
    expect(bytes('bytesReceived')).toBeGreaterThanOrEqual(within * 12);
  });
});

it('the server takes the free port of a range, and names the range if all are in use', async () => {
  const spec = makeSpec();
  const first = await makeServer(spec, { first: 20_000, last: 30_000 }).start();
  const only = { first: first.port, last: first.port };
  await expect(makeServer(spec, only).start()).rejects.toMatchObject({
    code: 'ports-taken',
    message: expect.stringContaining(`Port ${first.port} on 127.0.0.1`),
  });
  const next = await makeServer(spec, { first: first.port, last: first.port + 1 }).start();
  expect(next.port).toBe(first.port + 1);
});

describe('loss', () => {
  it('is recovered by retransmission if messages are confirmable', async () => {
    const spec = makeSpec({ messages: 12, readingsPerSecond: null, measureMs: 40_000, warmUpMs: 0 });
    const server = await startServer(spec);
    // The first request checks that the server is reachable.
    const port = await startLossyWay(server, (n) => n === 6);
    const { publisher, sent } = await playTrial({ spec, port });
    expect(sent).toEqual({ messages: 12, timedOut: false });
    expect(publisher.counters).toMatchObject({ sent: 12, acknowledged: 12 });
    expect(publisher.facts['wire.retransmitted']).toBe(1);
    // Sent again after 2 to 3 s (RFC 7252 section 4.8).
    expect(publisher.histograms.exchange?.max).toBeGreaterThan(1.9e6);
  });

  it('remains a loss if they are not', async () => {
    const spec = makeUnconfirmed(12);
    const port = await startLossyWay(await startServer(spec), (n) => n === 6);
    const { publisher } = await playTrial({ spec, port });
    expect(publisher.counters).toMatchObject({ sent: 12, acknowledged: 11 });
    expect(publisher.facts['wire.retransmitted']).toBe(0);
  });

  it('does not include responses left unread in the socket by a pause of this process', async () => {
    const spec = makeUnconfirmed(12);
    const pause = new Int32Array(new SharedArrayBuffer(4));
    // This process also relays the datagrams: nothing is read or sent until it continues.
    const port = await startLossyWay(await startServer(spec), (n) => {
      if (n === 6) Atomics.wait(pause, 0, 0, 2_500);
      return false;
    });
    const { publisher } = await playTrial({ spec, port });
    expect(publisher.counters).toMatchObject({ sent: 12, acknowledged: 12 });
    expect(publisher.histograms.exchange?.max).toBeGreaterThan(2.4e6);
  });
});

it('ends immediately on request while there is no answer', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const { CoapDriver } = await import('./coap-load.ts');
  const { makePrepare } = await import('../testing/play-trial.ts');
  const { MonotonicClock } = await import('../pacing/clock.ts');
  const spec = makeSpec();
  const driver = new CoapDriver({
    command: makePrepare({ spec, port: silent.address().port }, 'publisher'),
    folder: null,
    clock: new MonotonicClock().calibrate(),
    entry: testEntry,
    onPhase: () => {},
    onFailure: () => {},
    rehearses: false,
  });
  await driver.prepare();
  const connecting = driver.connect();
  connecting.catch(() => {});
  await wait(50);
  expect((await driver.finish()).counters).toBeNull();
});
