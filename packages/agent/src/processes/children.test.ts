import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { ChildRecords, DataFolderLock, identifyProcess, isAlive } from './child-records.ts';
import { ask, findProgram } from './programs.ts';

/** Resolves when it has done `first`. */
async function startSleeper(script = 'sleep 60', first = 'true') {
  const child = spawn('sh', ['-c', `${first}; echo ready; ${script}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, exit };
}

function makeRecords(folder: string, failures: string[] = []): ChildRecords {
  return new ChildRecords({ folder, procRoot: '/proc', onFailure: (text) => failures.push(text) });
}

test('a process is identified by its start, not by its pid alone', async () => {
  const { pid } = await startSleeper();
  const identity = identifyProcess('/proc', pid);
  expect(identity).not.toBeNull();
  expect(isAlive('/proc', identity!)).toBe(true);
  expect(isAlive('/proc', { ...identity!, startTicks: identity!.startTicks - 1 })).toBe(false);
  expect(isAlive('/proc', { ...identity!, bootId: 'another boot' })).toBe(false);
});

test('a name with spaces and parentheses does not shift the fields; a zombie does not count as a process', () => {
  const root = makeTemporaryFolder();
  const fields = (state: string) => `${state} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20`;
  writeFileTree(root, {
    '42/stat': `42 (evil ) name) ${fields('S')}`,
    '43/stat': `43 (dead) ${fields('Z')}`,
    'sys/kernel/random/boot_id': 'abc\n',
  });
  expect(identifyProcess(root, 42)).toEqual({ pid: 42, startTicks: 777, bootId: 'abc' });
  expect(identifyProcess(root, 43)).toBeNull();
  expect(identifyProcess(root, 44)).toBeNull();
});

test('a predecessor’s child is ended, with SIGKILL when it must be', async () => {
  const folder = makeTemporaryFolder();
  const [meek, stubborn] = [
    await startSleeper('exec sleep 60'),
    await startSleeper('while :; do sleep 1; done', 'trap "" TERM'),
  ];
  const before = makeRecords(folder);
  before.add(meek.pid);
  before.add(stubborn.pid);
  const failures: string[] = [];
  await makeRecords(folder, failures).open();
  expect(await meek.exit).toEqual([null, 'SIGTERM']);
  expect(await stubborn.exit).toEqual([null, 'SIGKILL']);
  expect(failures).toHaveLength(2);
  expect(readdirSync(folder)).toEqual([]);
});

test('a foreign process with only the pid of a record is never ended', async () => {
  const folder = makeTemporaryFolder();
  const { pid } = await startSleeper();
  const identity = identifyProcess('/proc', pid);
  writeFileSync(join(folder, `${pid}.json`), JSON.stringify({ ...identity, startTicks: 1 }));
  writeFileSync(join(folder, '1.json'), JSON.stringify({ ...identity, pid: 1 }));
  writeFileSync(join(folder, '5.json'), 'not JSON');
  const failures: string[] = [];
  await makeRecords(folder, failures).open();
  expect(isAlive('/proc', identity!)).toBe(true);
  expect(failures).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a child is recorded while it runs, its lines are read, and stop ends it', async () => {
  const folder = makeTemporaryFolder();
  const lines: string[] = [];
  const child = new ManagedChild({
    command: 'sh',
    args: ['-c', 'echo out; echo error >&2; exec sleep 60'],
    onLine: (line) => lines.push(line),
    killAfterMs: 1_000,
    records: makeRecords(folder),
  });
  child.start();
  child.start();
  expect(readdirSync(folder)).toEqual([`${child.pid}.json`]);
  await expect.poll(() => [...lines].sort()).toEqual(['error', 'out']);
  await child.stop();
  expect(await child.exit).toEqual({ code: null, signal: 'SIGTERM' });
  expect(existsSync(`/proc/${child.pid}`)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test('a child that cannot be started rejects, and can still be stopped', async () => {
  const child = new ManagedChild({
    command: '/nowhere/at/all',
    args: [],
    onLine: () => {},
    killAfterMs: 10,
    records: makeRecords(makeTemporaryFolder()),
  });
  child.start();
  await expect(child.exit).rejects.toThrow('ENOENT');
  await child.stop();
});

test('programs are found beyond the PATH, and queried without ever throwing', async () => {
  expect(await findProgram('mosquitto', '/nowhere')).toBe('/usr/sbin/mosquitto');
  expect(await findProgram('no-such-program')).toBeNull();
  expect(await ask('/bin/sh', ['-c', 'echo yes; exit 3'])).toMatchObject({ stdout: 'yes\n', code: 3 });
  expect(await ask('/nowhere', [])).toMatchObject({ code: null });
  const endsWhenKilled = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done";
  expect(await ask('/bin/sh', ['-c', endsWhenKilled], 200)).toMatchObject({ code: null });
  // It ends by itself, but another process holds its output open.
  expect(await ask('/bin/sh', ['-c', 'sleep 2 & exit 0'], 200)).toMatchObject({
    code: null,
    error: { message: '/bin/sh did not answer in time' },
  });
});

test('a data folder belongs to one running agent', async () => {
  const path = join(makeTemporaryFolder(), 'agent.json');
  const { pid } = await startSleeper();
  writeFileSync(path, JSON.stringify(identifyProcess('/proc', pid)));
  const lock = new DataFolderLock(path, '/proc');
  await expect(lock.take()).rejects.toThrow(`process ${pid}`);
  await lock.release();
  expect(existsSync(path)).toBe(true);
  writeFileSync(path, JSON.stringify({ ...identifyProcess('/proc', pid), startTicks: 1 }));
  await lock.take();
  await lock.release();
  expect(existsSync(path)).toBe(false);
});

test('a child is recorded even if the folder of records was removed', async () => {
  const folder = join(makeTemporaryFolder(), 'children');
  const records = makeRecords(folder);
  await records.open();
  rmSync(folder, { recursive: true });
  const options = { onLine: () => {}, killAfterMs: 1_000, records };
  const child = new ManagedChild({ command: 'sleep', args: ['60'], ...options });
  child.start();
  expect(readdirSync(folder)).toEqual([`${child.pid}.json`]);
  await child.stop();
  expect(readdirSync(folder)).toEqual([]);
});

test('a child that cannot be recorded is ended immediately, with the reason', async () => {
  const folder = join(makeTemporaryFolder(), 'children');
  writeFileSync(folder, 'a file in its place');
  const options = { onLine: () => {}, killAfterMs: 1_000, records: makeRecords(folder) };
  const child = new ManagedChild({ command: 'sleep', args: ['60'], ...options });
  child.start();
  const { pid } = child;
  await expect(child.exit).rejects.toThrow(/could not be recorded .*killed immediately/);
  expect(identifyProcess('/proc', pid!)).toBeNull();
  await child.stop();
});
