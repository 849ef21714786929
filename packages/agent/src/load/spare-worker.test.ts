import { existsSync, readdirSync } from 'node:fs';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ChildRecords } from '../processes/child-records.ts';
import { isRunning } from '../testing/agent-process.ts';
import { testEntry } from '../testing/entry.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { SpareWorker } from './load-worker-process.ts';

function makeSpareWorker(idleMs = 60_000) {
  const folder = makeTemporaryFolder();
  const records = new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} });
  const codeFolder = makeTemporaryFolder();
  const spare = new SpareWorker({ entry: testEntry, records, codeFolder, idleMs });
  const failures: RoleFailure[] = [];
  const take = () => {
    const taken = spare.take({
      onProgress: () => {},
      onPhase: () => {},
      onLog: () => {},
      onFailure: (failure) => failures.push(failure),
    });
    onTestFinished(() => taken.worker.stop());
    return taken;
  };
  onTestFinished(() => spare.stop());
  return {
    spare,
    take,
    failures,
    codeFolder,
    pids: () => readdirSync(folder).map((name) => Number.parseInt(name, 10)),
  };
}

test('the spare worker is used, and only once', async () => {
  const { spare, take, pids } = makeSpareWorker();
  spare.refill();
  spare.refill();
  expect(pids()).toHaveLength(1);
  const first = take();
  expect([first.worker.pid]).toEqual(pids());
  const second = take();
  expect(second.worker.pid).not.toBe(first.worker.pid);
  await Promise.all([first.started, second.started]);
});

test('an unused worker ends by itself, and stop ends it immediately', async () => {
  const { spare, pids } = makeSpareWorker(50);
  spare.refill();
  const [pid = 0] = pids();
  await expect.poll(() => isRunning(pid)).toBe(false);
  await expect.poll(pids).toEqual([]);
  spare.refill();
  await spare.stop();
  await spare.stop();
  expect(pids()).toEqual([]);
});

test('a spare that died is replaced silently, one in use is reported', async () => {
  const { spare, take, failures, pids } = makeSpareWorker();
  spare.refill();
  const [dead = 0] = pids();
  process.kill(dead, 'SIGKILL');
  // This process has reaped it, so it has detected the exit.
  await expect.poll(() => existsSync(`/proc/${dead}`)).toBe(false);
  const { worker, started } = take();
  await started;
  expect(failures).toEqual([]);
  expect(worker.pid).not.toBe(dead);
  process.kill(worker.pid ?? 0, 'SIGKILL');
  await expect.poll(() => failures).toHaveLength(1);
});

test('the user of a worker receives all its messages, including counts of a bridge', async () => {
  const folder = makeTemporaryFolder();
  const records = new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} });
  const program = `
    process.send({ type: 'ready' });
    setInterval(() => process.send({ type: 'tally', tally: 'counted' }), 10);
  `;
  const entry = { execPath: process.execPath, args: ['-e', program] };
  const spare = new SpareWorker({ entry, records, codeFolder: folder, idleMs: 60_000 });
  const tally = Promise.withResolvers<unknown>();
  const { worker, started } = spare.take({
    onProgress: () => {},
    onPhase: () => {},
    onLog: () => {},
    onFailure: () => {},
    onTally: tally.resolve,
  });
  onTestFinished(() => worker.stop());
  await started;
  expect(await tally.promise).toBe('counted');
});

test('a worker leaves its compiled code to the next one, and the environment may name another folder for it', async () => {
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { take, codeFolder } = makeSpareWorker();
  const first = take();
  await first.started;
  await first.worker.stop();
  const files = () => readdirSync(codeFolder, { recursive: true });
  expect(files()).not.toEqual([]);
  const elsewhere = makeTemporaryFolder();
  vi.stubEnv('NODE_COMPILE_CACHE', elsewhere);
  const second = take();
  await second.started;
  await second.worker.stop();
  expect(readdirSync(elsewhere)).not.toEqual([]);
});
