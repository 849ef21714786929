import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { textBounds } from '@mqttlab/shared/domain/bounds';
import { agentFrameSchema } from '@mqttlab/shared/messages/agent';
import { maxAgentFrameBytes } from '@mqttlab/shared/messages/set-aside';
import { expect, test } from 'vitest';
import { Cleanup } from '../processes/files.ts';
import { startFakeServer } from '../testing/fake-server.ts';
import { prepareBroker, startLabDevice } from '../testing/lab.ts';
import { makeTestResult } from '../testing/results.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { Outbox, SetAsideResults } from './outbox.ts';

const run = { spec: makeTestSpec(), tls: null };

async function open(folder: string) {
  const setAside = new SetAsideResults({
    folder: join(folder, 'set-aside'),
    nowMs: () => 7,
    onFailure: () => {},
  });
  await setAside.open();
  const outbox = new Outbox({
    folder: join(folder, 'outbox'),
    setAside,
    cleanup: new Cleanup({ onFailure: () => {} }),
    onFailure: () => {},
  });
  await outbox.open();
  return { setAside, outbox };
}

test('a refused result is stored with its reason across restarts, and is no longer pending', async () => {
  const folder = makeTemporaryFolder();
  const { setAside, outbox } = await open(folder);
  const kept = { runId: 3, result: makeTestResult() };
  await outbox.put('3-publisher', kept);
  await outbox.refuse('3-publisher', 'run 3 is unknown');
  // The same run again, and an unknown one.
  await outbox.put('3-publisher', kept);
  await outbox.refuse('3-publisher', 'still unknown');
  await outbox.refuse('4-publisher', 'unknown');
  for (const { setAside: now, outbox: waiting } of [{ setAside, outbox }, await open(folder)]) {
    expect(waiting.pending()).toEqual([]);
    expect(now.list()).toMatchObject([
      { name: '3-publisher-7', key: '3-publisher', reason: 'run 3 is unknown', refusedAt: 7 },
      { name: '3-publisher-8', key: '3-publisher', reason: 'still unknown' },
    ]);
    expect(JSON.parse((await now.read('3-publisher-7')) ?? '')).toEqual(kept);
    expect(await now.read('../outbox/3-publisher')).toBeNull();
  }
});

test('a device whose result is refused stays connected, executes the next run and delivers the result', async () => {
  const { server, dataFolder } = await startLabDevice();
  server.refuses = 'the device did not participate';
  await server.mustDo(5, prepareBroker({ runId: 5, ...run }));
  await server.mustDo(5, { kind: 'teardown' });
  const { results } = await server.waitFor('set-aside');
  expect(results).toMatchObject([{ key: '5-broker', reason: 'the device did not participate' }]);
  expect(readdirSync(join(dataFolder, 'outbox'))).toEqual([]);
  // A closed connection, or a repeated result, would be observed before this answer.
  await server.command(6, { kind: 'abort', reason: 'test' });
  expect([server.all('hello').length, server.all('result').length]).toEqual([1, 1]);
  // The same number is available again, for this server or another.
  server.refuses = null;
  await server.mustDo(5, prepareBroker({ runId: 5, ...run }));
  await server.mustDo(5, { kind: 'teardown' });
  server.sendRaw(JSON.stringify({ type: 'fetch-set-aside', id: 1, name: results[0]?.name }));
  server.sendRaw(JSON.stringify({ type: 'fetch-set-aside', id: 2, name: 'gone' }));
  const { text } = await server.waitFor('set-aside-result', ({ id }) => id === 1);
  expect(JSON.parse(text ?? '')).toMatchObject({ runId: 5, result: { role: 'broker' } });
  expect((await server.waitFor('set-aside-result', ({ id }) => id === 2)).text).toBeNull();
  server.drop();
  await expect.poll(() => server.all('hello').at(-1)?.setAside).toMatchObject([{ key: '5-broker' }]);
  expect(server.faults).toEqual([]);
});

test('a result that the server requests again is sent without a new connection', async () => {
  const { server, dataFolder } = await startLabDevice();
  server.acknowledges = false;
  await server.mustDo(5, prepareBroker({ runId: 5, ...run }));
  await server.mustDo(5, { kind: 'teardown' });
  await server.result('5-broker');
  server.acknowledges = true;
  server.sendRaw(JSON.stringify({ type: 'deliver', key: '5-broker' }));
  server.sendRaw(JSON.stringify({ type: 'deliver', key: '6-broker' }));
  await expect.poll(() => readdirSync(join(dataFolder, 'outbox'))).toEqual([]);
  expect([server.all('hello').length, server.all('result').length]).toEqual([1, 2]);
});

test('an oversized result is set aside instead of ending every connection', async () => {
  const dataFolder = makeTemporaryFolder();
  const { outbox } = await open(dataFolder);
  const padding = 'x'.repeat(textBounds.document);
  const environment = Object.fromEntries(
    Array.from({ length: Math.ceil(maxAgentFrameBytes / padding.length) }, (_, i) => [
      `padding ${i}`,
      padding,
    ]),
  );
  await outbox.put('9-broker', { runId: 9, result: makeTestResult({ environment }) });
  const { server } = await startLabDevice({ dataFolder });
  expect((await server.waitFor('set-aside')).results).toMatchObject([
    { key: '9-broker', reason: expect.stringContaining('64 MiB') },
  ]);
  // The agent answers over the same connection, and has sent no result before.
  await server.command(5, { kind: 'abort', reason: 'test' });
  expect([server.all('hello').length, server.all('result').length]).toEqual([1, 0]);
  expect(existsSync(join(dataFolder, 'outbox/9-broker.json'))).toBe(false);
});

test('every frame conforms to the contract', async () => {
  const server = await startFakeServer();
  expect(server.faults).toEqual([]);
  const frame = {
    type: 'set-aside',
    results: [{ name: 'A', key: '1-broker', reason: '', refusedAt: 1, bytes: 0 }],
  };
  expect(agentFrameSchema.safeParse(frame).success).toBe(false);
});
