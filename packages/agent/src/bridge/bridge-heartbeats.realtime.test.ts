import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bridged, startBridged } from './testing/play-bridged.ts';
import { playThroughRelays } from './testing/play-through-relays.ts';

let brokers: Bridged;
beforeAll(async () => {
  brokers = await startBridged();
});
afterAll(() => brokers.stop());

it('nothing is lost when the cloud stops answering: two missed heartbeats end a connection', async () => {
  const counted = await playThroughRelays(brokers, { qos: 1, heartbeatMs: 100 }, async ({ onward }) => {
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
