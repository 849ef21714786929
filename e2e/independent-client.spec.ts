import mqtt from 'mqtt';
import { makeQuickDraft, startExperiment, waitUntil } from './fixtures/experiments.ts';
import { expect, test } from './fixtures/test.ts';

test.use({ rehearsal: 'on' });

/** Sequence number of the stamp: u32 at byte 8, little endian. */
const sequenceAt = 8;

test('an independent MQTT client on the same broker gets every message, in order, at the requested rate', async ({
  server,
}) => {
  const quick = makeQuickDraft();
  const draft = {
    ...quick,
    factors: { security: ['plain'], qos: [1], rate: [200], readingBytes: [120] },
    workload: { ...quick.workload, measureMs: 8000 },
  };
  const id = await startExperiment(server, draft);
  await waitUntil(server, id, ({ runs }) => runs.some((run) => run.status === 'running'));
  const log = await (await fetch(`${server.address}/api/v1/runs/1/log`)).text();
  const port = /listens on 127\.0\.0\.1:(\d+)/.exec(log)?.[1];
  expect(port, `the broker's port in ${log}`).toBeDefined();

  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
  const payloads: Buffer[] = [];
  client.on('message', (_topic, payload) => payloads.push(payload));
  await client.subscribeAsync('mqttlab/#', { qos: 1 });
  const startedAt = Date.now();
  await expect.poll(() => payloads.length).toBeGreaterThan(600);
  const perSecond = payloads.length / ((Date.now() - startedAt) / 1000);
  await client.endAsync();

  expect(payloads.every((payload) => payload.length === 120)).toBe(true);
  const sequences = payloads.map((payload) => payload.readUInt32LE(sequenceAt));
  const steps = sequences.slice(1).map((sequence, index) => sequence - (sequences[index] ?? 0));
  // Warm-up and measuring both count from 0, so one step may be negative.
  expect(steps.filter((step) => step !== 1).length).toBeLessThanOrEqual(1);
  expect(perSecond).toBeGreaterThan(150);
  expect(perSecond).toBeLessThan(250);
  await server.api('POST', `/experiments/${id}/actions/cancel`);
});
