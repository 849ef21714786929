import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { brokerReadySchema } from '@mqttlab/shared/messages/agent';
import { expect, test } from 'vitest';
import { isRunning } from './testing/agent-process.ts';
import {
  carryOutRun,
  makeStart,
  prepareBroker,
  prepareClient,
  startLab,
  startLabDevice,
} from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

function makeSpec(change: Partial<TrialSpec> = {}): TrialSpec {
  return makeTestSpec({
    workload: 'availability',
    broker: 'mosquitto',
    mqttVersion: '5.0',
    readingBytes: 1000,
    abuse: 'persistent sessions',
    abusers: 20,
    queuedMessages: 10,
    warmUpMs: 300,
    measureMs: 1_500,
    ...change,
  });
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

test('abused sessions end with their run: no broker, connection or persistence is left', async () => {
  const lab = await startLab();
  // Long enough for all sessions on a busy machine.
  const { results } = await carryOutRun(lab, { runId: 3, spec: makeSpec({ measureMs: 6_000 }), tls: null });
  expect(results.broker.failure).toBeNull();
  expect(String(results.broker.environment['broker.configuration'])).toContain('persistence true');
  expect(results.publisher.environment).toMatchObject({ 'abuse.sessions': 20, 'abuse.queuedMessages': 200 });
  expect(results.publisher.series.map(({ metric }) => metric)).toContain('abuse.held');
  expect(results.subscriber.counters?.connectionsFailed).toBe(0);
  expect(isRunning(Number(results.broker.environment['process.pid']))).toBe(false);
  for (const { dataFolder } of Object.values(lab)) expect(filesIn(join(dataFolder, 'runs'))).toEqual([]);
});

test('an abort closes the held connections immediately', async () => {
  const lab = await startLab();
  const spec = makeSpec({ abuse: 'slow keep-alive', abusers: 50, measureMs: 60_000 });
  const run = { runId: 4, spec, tls: null };
  const ready = await lab.broker.server.mustDo(4, prepareBroker(run));
  const { port, pid } = brokerReadySchema.parse(ready);
  await lab.publisher.server.mustDo(4, prepareClient(run, 'publisher', port));
  await lab.publisher.server.mustDo(4, { kind: 'connect' });
  const start = makeStart(spec);
  await lab.broker.server.mustDo(4, start);
  await lab.publisher.server.mustDo(4, start);
  const portInHex = port.toString(16).toUpperCase().padStart(4, '0');
  const connections = () =>
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .filter((line) => line.includes(`:${portInHex} `) && / 01 /.test(line)).length;
  // Both ends of each connection are on this machine.
  await expect.poll(connections).toBeGreaterThanOrEqual(100);
  await lab.publisher.server.mustDo(4, { kind: 'abort', reason: 'test' });
  await expect.poll(connections).toBe(0);
  await lab.broker.server.mustDo(4, { kind: 'abort', reason: 'test' });
  expect(isRunning(pid ?? 0)).toBe(false);
});

test('a device refuses to abuse a broker that it did not start, even if the server requests it', async () => {
  const { server } = await startLabDevice();
  const spec = makeSpec({ broker: 'external' });
  const asked = await server.command(5, prepareBroker({ runId: 5, spec, tls: null }));
  expect(asked).toMatchObject({ ok: false, error: { code: 'abuse-refused' } });
  const client = await server.command(6, prepareClient({ runId: 6, spec, tls: null }, 'publisher', 1));
  expect(client).toMatchObject({ ok: false, error: { code: 'abuse-refused' } });
});

test('a broker that uses more memory than allowed ends the run', async () => {
  const { server } = await startLabDevice();
  // At least 16 MiB, enough to start any broker: the sessions make the difference.
  const spec = makeSpec({
    abusers: 300,
    queuedMessages: 100,
    readingBytes: 1000,
    abuseMemoryBytes: 16 * 2 ** 20,
  });
  const publisher = await startLabDevice();
  const run = { runId: 7, spec: { ...spec, measureMs: 60_000 }, tls: null };
  const { port } = brokerReadySchema.parse(await server.mustDo(7, prepareBroker(run)));
  await publisher.server.mustDo(7, prepareClient(run, 'publisher', port));
  await publisher.server.mustDo(7, { kind: 'connect' });
  const start = makeStart(run.spec);
  await server.mustDo(7, start);
  await publisher.server.mustDo(7, start);
  const trouble = await server.waitFor('trouble', () => true);
  expect(trouble.error.code).toBe('abuse-memory');
});
