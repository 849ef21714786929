import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAgentProcess } from './testing/agent-process.ts';
import { startFakeServer } from './testing/fake-server.ts';
import { prepareBroker, startLabDevice } from './testing/lab.ts';
import { makeTestResult } from './testing/results.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';
import { addUnremovableFolder } from './testing/unremovable-folder.ts';

const run = { runId: 5, spec: makeTestSpec(), tls: null };

test('a result is delivered although the folder of its run cannot be removed, which is reported and retried', async () => {
  const { server, dataFolder } = await startLabDevice();
  await server.mustDo(5, prepareBroker(run));
  const folder = join(dataFolder, 'runs', '5-broker');
  const release = addUnremovableFolder(folder);

  await server.mustDo(5, { kind: 'teardown' });
  expect((await server.result('5-broker')).failure).toBeNull();
  const { line } = await server.waitFor('log', ({ line: { text } }) => text.includes(folder));
  expect(line.level).toBe('warn');
  expect(line.text).toMatch(/EBUSY|EACCES/);

  release();
  await expect.poll(() => existsSync(folder)).toBe(false);
  await server.mustDo(6, prepareBroker({ ...run, runId: 6 }));
});

test('an agent starts even if it cannot remove leftovers of its predecessor', async () => {
  const dataFolder = makeTemporaryFolder();
  addUnremovableFolder(join(dataFolder, 'runs', '4-broker'));
  addUnremovableFolder(join(dataFolder, 'outbox', '4-broker.files'));
  addUnremovableFolder(join(dataFolder, 'outbox', '4-broker.json.draft'));
  mkdirSync(join(dataFolder, 'children', '17.json'), { recursive: true });
  const { server } = await startLabDevice({ dataFolder });
  await server.mustDo(5, prepareBroker(run));
  await server.mustDo(5, { kind: 'teardown' });
  expect((await server.result('5-broker')).failure).toBeNull();
});

test('an agent keeps running if a refused result has files that cannot be removed', async () => {
  const dataFolder = makeTemporaryFolder();
  const outbox = join(dataFolder, 'outbox');
  addUnremovableFolder(join(outbox, '4-publisher.files'));
  writeFileSync(join(outbox, '4-publisher.json'), JSON.stringify({ runId: 4, result: makeTestResult() }));
  const server = await startFakeServer();
  server.refuses = 'this server never started run 4';
  const agent = startAgentProcess({ server, dataFolder });
  const { results } = await server.waitFor('set-aside');
  expect(results).toMatchObject([{ key: '4-publisher', reason: expect.stringContaining('never started') }]);
  expect(readdirSync(outbox)).toEqual(['4-publisher.files']);
  server.drop();
  const hello = await server.waitFor(
    'hello',
    ({ pending, setAside }) => pending.length === 0 && setAside !== undefined,
  );
  expect(hello.setAside).toHaveLength(1);
  agent.signal('SIGTERM');
  expect(await agent.ended).toBe(0);
});
