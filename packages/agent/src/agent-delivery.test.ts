import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokerReadySchema } from '@mqttlab/shared/messages/agent';
import { expect, test } from 'vitest';
import { isRunning, startAgentProcess } from './testing/agent-process.ts';
import { startFakeServer } from './testing/fake-server.ts';
import { prepareBroker, startLabDevice } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const run = { spec: makeTestSpec(), tls: null };
const outboxOf = (dataFolder: string) => readdirSync(join(dataFolder, 'outbox'));

test('a result is kept until it is acknowledged, and not sent again afterwards', async () => {
  const { server, dataFolder } = await startLabDevice();
  server.acknowledges = false;
  await server.mustDo(5, prepareBroker({ runId: 5, ...run }));
  await server.mustDo(5, { kind: 'teardown' });
  await server.result('5-broker');
  expect(outboxOf(dataFolder)).toEqual(['5-broker.json']);

  server.acknowledges = true;
  server.drop();
  await expect.poll(() => server.all('result').length).toBe(2);
  expect(server.all('hello').at(-1)?.pending).toEqual(['5-broker']);
  await expect.poll(() => outboxOf(dataFolder)).toEqual([]);

  server.drop();
  await expect.poll(() => server.all('hello').length).toBe(3);
  expect(server.all('hello').at(-1)?.pending).toEqual([]);
  // The agent answers in order: a repeated result would have arrived before this reply.
  await server.command(6, { kind: 'abort', reason: 'test' });
  expect(server.all('result')).toHaveLength(2);
  expect(server.faults).toEqual([]);
});

test('results survive the agent and are sent once after its restart, despite a corrupt one', async () => {
  const server = await startFakeServer();
  const dataFolder = makeTemporaryFolder();
  server.acknowledges = false;
  const first = startAgentProcess({ server, dataFolder });
  await server.waitFor('hello');
  for (const runId of [1, 2]) {
    await server.mustDo(runId, prepareBroker({ runId, ...run }));
    await server.mustDo(runId, { kind: 'teardown' });
    await server.result(`${runId}-broker`);
  }
  first.signal('SIGKILL');
  await first.ended;
  writeFileSync(join(dataFolder, 'outbox/3-publisher.json'), '{"half":');

  server.acknowledges = true;
  server.frames.length = 0;
  startAgentProcess({ server, dataFolder });
  expect((await server.waitFor('hello')).pending).toEqual(['1-broker', '2-broker', '3-publisher']);
  await server.result('2-broker');
  await expect.poll(() => outboxOf(dataFolder)).toEqual([]);
  expect(server.all('result').map(({ key }) => key)).toEqual(['1-broker', '2-broker']);
  expect((await server.waitFor('set-aside')).results).toMatchObject([
    { key: '3-publisher', reason: expect.stringContaining('cannot be read') },
  ]);
  await expect
    .poll(() =>
      server
        .logLines()
        .map(({ text }) => text)
        .join(),
    )
    .toContain('set aside');
});

test('a folder that cannot be written is a named failure, and the result still arrives', async () => {
  const { server, dataFolder } = await startLabDevice();
  await server.mustDo(5, prepareBroker({ runId: 5, ...run }));
  // Root may write anywhere, but not into a folder that is a file.
  rmSync(join(dataFolder, 'outbox'), { recursive: true });
  writeFileSync(join(dataFolder, 'outbox'), '');
  const outcome = await server.command(5, { kind: 'teardown' });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'result-not-kept' } });
  expect((await server.result('5-broker')).environment['broker.kind']).toBe('mosquitto');
  expect(readdirSync(join(dataFolder, 'runs'))).toEqual([]);
  await server.mustDo(6, prepareBroker({ runId: 6, ...run }));
});

test('events while the server is away are reported when it is back', async () => {
  const { server, dataFolder } = await startLabDevice();
  const ready = await server.mustDo(5, prepareBroker({ runId: 5, ...run }));
  const { pid } = brokerReadySchema.parse(ready);
  await server.goAway();
  process.kill(pid!, 'SIGKILL');
  await expect.poll(() => isRunning(pid!)).toBe(false);
  await server.listenAgain();
  expect((await server.waitFor('trouble')).error.code).toBe('broker-died');
  await server.mustDo(5, { kind: 'teardown' });
  expect((await server.result('5-broker')).failure?.code).toBe('broker-died');
  await expect.poll(() => outboxOf(dataFolder)).toEqual([]);
});
