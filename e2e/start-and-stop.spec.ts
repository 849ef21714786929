import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { makeQuickDraft, startExperiment, waitUntil } from './fixtures/experiments.ts';
import { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function temporaryFiles(): string[] {
  return readdirSync(tmpdir()).filter(
    (name) => name.startsWith('mqttlab-') && !name.startsWith('mqttlab-e2e-'),
  );
}

test('SIGTERM in mid-run leaves no process, socket or temporary file behind', async () => {
  const before = temporaryFiles();
  const server = new TestServer();
  await server.start();
  const draft = makeQuickDraft({ workload: { ...makeQuickDraft().workload, measureMs: 60_000 } });
  const id = await startExperiment(server, draft);
  await waitUntil(server, id, ({ runs }) => runs.some((run) => run.status === 'running'));

  const processes = server.descendants();
  expect(processes.length).toBeGreaterThanOrEqual(6);
  const { address } = server;
  expect(await server.stop()).toBe(0);

  await expect.poll(() => processes.filter(isAlive), { timeout: 3000 }).toEqual([]);
  await expect(fetch(address)).rejects.toThrow();
  expect(temporaryFiles()).toEqual(before);
  await server.remove();
});

test('a killed server leaves no agent, worker or broker behind either', async () => {
  const server = new TestServer();
  await server.start();
  const draft = makeQuickDraft({ workload: { ...makeQuickDraft().workload, measureMs: 60_000 } });
  const id = await startExperiment(server, draft);
  await waitUntil(server, id, ({ runs }) => runs.some((run) => run.status === 'running'));
  const processes = server.descendants();
  await server.kill();
  await expect.poll(() => processes.filter(isAlive), { timeout: 40_000 }).toEqual([]);
  await server.remove();
});

test('a port that is taken is said in one line, exit code 1', async ({ server }) => {
  const second = new TestServer();
  const taken = new URL(server.address).port;
  await expect(second.start({ PORT: taken })).rejects.toThrow(new RegExp(`ended with 1:.*${taken}`, 's'));
  await second.remove();
});
