import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MonotonicClock } from '../load/pacing/clock.ts';
import { freePort, startTestBroker } from '../load/testing/test-broker.ts';
import { BridgeClient } from './bridge-client.ts';
import { makeBridgedCommands, makeBridgedSpec } from './testing/bridged-trial.ts';
import { type Bridged, playBridged, startBridged } from './testing/play-bridged.ts';
import { playThroughRelays, type Relays } from './testing/play-through-relays.ts';
import { startRelay } from './testing/relay.ts';

let brokers: Bridged;
beforeAll(async () => {
  brokers = await startBridged();
});
afterAll(() => brokers.stop());

async function thrice(cut: () => void): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    await wait(200);
    cut();
  }
}

/** Cuts the leg to the cloud as messages arrive; the cloud is not reachable until the local leg has delivered more. */
async function cutDuringMessages({ edge, onward }: Relays): Promise<void> {
  const deliveredBytes = () => edge.seen.fromBroker.reduce((sum, { length }) => sum + length, 0);
  // More bytes than all PUBREL packets of the run: they contain messages.
  const more = async () => {
    const enough = deliveredBytes() + 5_000;
    await expect.poll(deliveredBytes, { interval: 5 }).toBeGreaterThan(enough);
  };
  await more();
  const until = more();
  onward.cut(until);
  await until;
}

/** Relays to a local broker, and holds its first bytes (CONNACK) until `hold` resolves. */
async function startHoldingRelay(port: number, hold: () => Promise<void>) {
  const server = createServer((client) => {
    const broker = connect(port, '127.0.0.1');
    for (const socket of [client, broker]) socket.on('error', () => {});
    client.on('close', () => broker.destroy());
    client.pipe(broker);
    broker.once('data', (bytes) => {
      broker.pause();
      void hold().then(() => {
        client.write(bytes);
        broker.pipe(client);
      });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, stop: () => void server.close() };
}

describe('connecting', () => {
  it('opens the cloud connection again if it is lost before the local one is ready', async () => {
    const onward = await startRelay(brokers.cloud.port);
    // Both connections of the bridge are in this process: the cut is detected before later messages are read.
    const edge = await startHoldingRelay(brokers.local.port, async () => {
      onward.cut();
      await wait(200);
    });
    const { local, cloud, certificates } = brokers;
    const commands = makeBridgedCommands({
      spec: makeBridgedSpec(),
      localPort: local.port,
      bridgePort: edge.port,
      cloudPorts: [onward.port],
      subscriberPort: cloud.port,
      certificates,
    });
    const logs: string[] = [];
    const bridge = new BridgeClient({
      command: commands.bridge,
      clock: new MonotonicClock().calibrate(),
      onPhase: () => {},
      onLog: (_level, text) => logs.push(text),
      heartbeatMs: 60_000,
      rehearses: false,
    });
    try {
      await bridge.prepare();
      await bridge.connect();
      await expect.poll(() => bridge.tally()?.bridge.cloudReconnects).toBe(1);
      expect(logs).toContainEqual(expect.stringMatching(/^the cloud broker is unreachable/));
      expect(logs).toContainEqual(`connected to the cloud broker at 127.0.0.1:${onward.port}`);
    } finally {
      await bridge.finish();
      edge.stop();
      onward.stop();
    }
  });
});

describe('nothing is lost at QoS 1 and 2', () => {
  it.each([
    [1, '3.1.1'],
    [1, '5.0'],
    [2, '5.0'],
  ] as const)('when the local leg breaks again and again (QoS %i, MQTT %s)', async (qos, mqttVersion) => {
    const counted = await playThroughRelays(brokers, { qos, mqttVersion }, ({ edge }) => thrice(edge.cut));
    expect(counted.bridge?.localReconnects).toBeGreaterThanOrEqual(1);
    expect(counted.bridge?.cloudReconnects).toBe(0);
  });

  it.each([1, 2] as const)('when the leg to the cloud breaks again and again (QoS %i)', async (qos) => {
    const counted = await playThroughRelays(brokers, { qos }, async (relays) => {
      await cutDuringMessages(relays);
      await thrice(relays.onward.cut);
    });
    expect(counted.bridge?.cloudReconnects).toBeGreaterThanOrEqual(1);
    expect(counted.bridge?.pauses).toBeGreaterThanOrEqual(1);
  });

  it('when the window is small: the local leg waits for the cloud', async () => {
    const spec = makeBridgedSpec({ window: 2, readingsPerSecond: 100 });
    const { publisher, bridge, subscriber } = await playBridged(brokers, { spec });
    const sent = publisher.counters?.sent ?? 0;
    expect(sent).toBeGreaterThan(0);
    expect(subscriber.counters?.received).toBe(sent);
    expect(bridge.bridge).toMatchObject({ resent: 0, rejected: 0, duplicates: 0 });
  });
});

describe('along a list of cloud brokers', () => {
  it('uses the next one if the first is unreachable', async () => {
    const cloudPorts = [await freePort(), brokers.cloud.port];
    const trial = await playBridged(brokers, { spec: makeBridgedSpec(), cloudPorts });
    const sent = trial.publisher.counters?.sent;
    expect(trial.subscriber.counters?.received).toBe(sent);
    expect(trial.bridge.bridge).toMatchObject({ failovers: 1, cloudReconnects: 0 });
    expect(trial.bridge.brokerStatus).toMatchObject([
      { leg: 'local', place: 1, changes: [{ state: 'connected' }] },
      { leg: 'cloud', place: 1, sent: 0, medianAnswerUs: null, changes: [{ state: 'not reachable' }] },
      { leg: 'cloud', place: 2, missed: 0, changes: [{ state: 'connected' }] },
    ]);
  });

  it('uses the next one when the current one dies, and forwards every message', async () => {
    const first = await startTestBroker({ certificates: brokers.certificates });
    const trial = await playBridged(brokers, {
      spec: makeBridgedSpec({ measureMs: 800, drainTimeoutMs: 1_000 }),
      cloudPorts: [first.port, brokers.cloud.port],
      during: async () => {
        await wait(300);
        await first.stop();
      },
    });
    const sent = trial.publisher.counters?.sent ?? 0;
    expect(trial.failures).toEqual([]);
    expect(trial.bridge.counters).toMatchObject({ received: sent, acknowledged: sent });
    expect(trial.bridge.bridge).toMatchObject({ failovers: 1, cloudReconnects: 1, localReconnects: 0 });
    const states = trial.bridge.brokerStatus?.map(({ changes }) => changes.map(({ state }) => state));
    expect(states).toEqual([['connected'], ['connected', 'lost'], ['connected']]);
    // Messages accepted by the first broker are there; the rest arrived at the second.
    expect(trial.subscriber.counters?.received).toBeGreaterThan(0);
    expect(trial.logs.join('\n')).toContain(
      `connected to the cloud broker at 127.0.0.1:${brokers.cloud.port}`,
    );
  });
});
