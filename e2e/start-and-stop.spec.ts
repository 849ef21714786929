import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendantsOf } from '@mqttlab/shared/testing/processes';
import { makeQuickDraft, startExperiment, waitUntil } from './fixtures/experiments.ts';
import { expect, test } from './fixtures/test.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('SIGTERM during a run leaves no process, socket or temporary file', async ({
  stoppedServer: server,
}) => {
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'mqttlab-e2e-tmp-'));
  await server.start({ TMPDIR: temporaryFolder });
  const draft = makeQuickDraft({ workload: { ...makeQuickDraft().workload, measureMs: 60_000 } });
  const id = await startExperiment(server, draft);
  await waitUntil(server, id, ({ runs }) => runs.some((run) => run.status === 'running'));

  const processes = server.descendants();
  expect(processes.length).toBeGreaterThanOrEqual(6);
  const { address } = server;
  expect(await server.stop()).toBe(0);

  await expect.poll(() => processes.filter(isAlive), { timeout: 3000 }).toEqual([]);
  await expect(fetch(address)).rejects.toThrow();
  expect(readdirSync(temporaryFolder)).toEqual([]);
  rmSync(temporaryFolder, { recursive: true });
});

test('a killed server leaves no agent, worker or broker', async ({ stoppedServer: server }) => {
  await server.start();
  const draft = makeQuickDraft({ workload: { ...makeQuickDraft().workload, measureMs: 60_000 } });
  const id = await startExperiment(server, draft);
  await waitUntil(server, id, ({ runs }) => runs.some((run) => run.status === 'running'));
  const processes = server.descendants();
  await server.kill();
  await expect.poll(() => processes.filter(isAlive), { timeout: 40_000 }).toEqual([]);
});

test('npm start forwards SIGTERM and leaves no processes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-e2e-'));
  const npm = spawn('npm', ['start'], {
    env: { ...process.env, PORT: '0', MQTTLAB_DATA: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise<string>((resolve) => {
    let words = '';
    npm.stdout.on('data', (data) => {
      words += data;
      const ready = /ready on (http:\/\/\S+)/.exec(words)?.[1];
      if (ready) resolve(ready);
    });
  });
  const processes = descendantsOf(npm.pid ?? 0);
  expect(processes.length).toBeGreaterThanOrEqual(5);
  npm.kill('SIGTERM');
  await expect.poll(() => processes.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  await expect(fetch(address)).rejects.toThrow();
  rmSync(folder, { recursive: true, force: true });
});

test('SIGTERM to a program that tests the API leaves no server and no fuzzer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-e2e-'));
  const [fuzzer, started] = [join(folder, 'fuzzer'), join(folder, 'started')];
  writeFileSync(fuzzer, `#!/bin/sh\ntouch '${started}'\nexec sleep 600\n`, { mode: 0o700 });
  const program = spawn(process.execPath, ['e2e/api/main.ts', '--program', fuzzer], { stdio: 'ignore' });
  const ended = once(program, 'exit');
  await expect.poll(() => existsSync(started)).toBe(true);
  const processes = descendantsOf(program.pid ?? 0);
  expect(processes.length).toBeGreaterThanOrEqual(5);
  program.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  await expect.poll(() => processes.filter(isAlive)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('a port in use is reported in one line, exit code 1', async ({ server, stoppedServer }) => {
  const taken = new URL(server.address).port;
  await expect(stoppedServer.start({ PORT: taken })).rejects.toThrow(
    new RegExp(`ended with 1:.*${taken}`, 's'),
  );
});
