import { setTimeout as wait } from 'node:timers/promises';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, startTestBroker } from '../workloads/testing/test-broker.ts';
import { makeBridgedSpec } from './testing/bridged-trial.ts';
import { type Bridged, playBridged, startBridged } from './testing/play-bridged.ts';
import { type Relay, startRelay } from './testing/relay.ts';

let brokers: Bridged;
beforeAll(async () => {
  brokers = await startBridged();
});
afterAll(() => brokers.stop());

interface Relays {
  edge: Relay;
  onward: Relay;
}

/** 500 messages while somebody does something to the connections of the bridge, and of nobody else. */
async function playThrough(change: Partial<TrialSpec>, during: (relays: Relays) => Promise<void>) {
  const [edge, onward] = [await startRelay(brokers.local.port), await startRelay(brokers.cloud.port)];
  try {
    const spec = makeBridgedSpec({ readingsPerSecond: 500, measureMs: 1_000, ...change });
    const { publisher, bridge, subscriber, troubles } = await playBridged(brokers, {
      spec,
      bridgePort: edge.port,
      cloudPorts: [onward.port],
      during: () => during({ edge, onward }),
    });
    expect(troubles).toEqual([]);
    expect(publisher.counters?.sent).toBe(500);
    expect(subscriber.counters).toMatchObject({ received: 500, replayed: 0, unauthentic: 0, malformed: 0 });
    expect(bridge.counters).toMatchObject({ received: 500, acknowledged: 500, replayed: 0 });
    return bridge;
  } finally {
    edge.stop();
    onward.stop();
  }
}

async function thrice(cut: () => void): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    await wait(200);
    cut();
  }
}

describe('nothing is lost at QoS 1 and 2', () => {
  it.each([
    [1, '3.1.1'],
    [1, '5.0'],
    [2, '5.0'],
  ] as const)('when the local leg breaks again and again (QoS %i, MQTT %s)', async (qos, mqttVersion) => {
    const counted = await playThrough({ qos, mqttVersion }, ({ edge }) => thrice(edge.cut));
    expect(counted.bridge?.localReconnects).toBeGreaterThanOrEqual(1);
    expect(counted.bridge?.cloudReconnects).toBe(0);
  });

  it.each([1, 2] as const)('when the leg to the cloud breaks again and again (QoS %i)', async (qos) => {
    const counted = await playThrough({ qos }, ({ onward }) => thrice(onward.cut));
    expect(counted.bridge?.cloudReconnects).toBeGreaterThanOrEqual(1);
    expect(counted.bridge?.pauses).toBeGreaterThanOrEqual(1);
  });

  it('when the cloud falls silent: two heartbeats without an answer are the end of a connection', async () => {
    const counted = await playThrough({ qos: 1 }, async ({ onward }) => {
      await wait(200);
      onward.stall();
    });
    expect(counted.bridge?.missedHeartbeats).toBeGreaterThanOrEqual(2);
    expect(counted.bridge?.cloudReconnects).toBe(1);
    expect(counted.bridge?.resent).toBeGreaterThanOrEqual(1);
    const [local, cloud] = counted.brokerStatus ?? [];
    expect(cloud).toMatchObject({ leg: 'cloud', place: 1, missed: counted.bridge?.missedHeartbeats });
    expect(cloud?.changes.map(({ state }) => state)).toEqual(['connected', 'silent', 'connected']);
    const [up = Number.NaN, silent = Number.NaN, again = Number.NaN] =
      cloud?.changes.map(({ atMs }) => atMs) ?? [];
    expect(up).toBeLessThan(0);
    expect(silent).toBeGreaterThan(200);
    expect(again).toBeGreaterThan(silent);
    expect(cloud?.medianAnswerUs).toBeGreaterThan(0);
    expect(local).toMatchObject({ leg: 'local', missed: 0, changeCount: 1 });
    expect(local?.answered).toBeGreaterThan(3);
  });

  it('when the window is narrow: the local leg waits for the cloud', async () => {
    const spec = makeBridgedSpec({ window: 2, readingsPerSecond: 100 });
    const { publisher, bridge, subscriber } = await playBridged(brokers, { spec });
    const sent = publisher.counters?.sent ?? 0;
    expect(sent).toBeGreaterThan(0);
    expect(subscriber.counters?.received).toBe(sent);
    expect(bridge.bridge).toMatchObject({ resent: 0, rejected: 0, duplicates: 0 });
  });
});

describe('along a list of cloud brokers', () => {
  it('takes the next where the first is not there', async () => {
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

  it('takes the next when the one in use dies, and passes every message on', async () => {
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
    expect(trial.troubles).toEqual([]);
    expect(trial.bridge.counters).toMatchObject({ received: sent, acknowledged: sent });
    expect(trial.bridge.bridge).toMatchObject({ failovers: 1, cloudReconnects: 1, localReconnects: 0 });
    const states = trial.bridge.brokerStatus?.map(({ changes }) => changes.map(({ state }) => state));
    expect(states).toEqual([['connected'], ['connected', 'lost'], ['connected']]);
    // What the first broker had taken is with it; the rest came to the second.
    expect(trial.subscriber.counters?.received).toBeGreaterThan(0);
    expect(trial.logs.join('\n')).toContain(
      `connected to the cloud broker at 127.0.0.1:${brokers.cloud.port}`,
    );
  });
});
