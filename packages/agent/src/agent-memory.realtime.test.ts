import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startAgentProcess } from './testing/agent-process.ts';
import { startFakeServer } from './testing/fake-server.ts';
import { carryOutRun, startLabDevice } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

test('the agent of a broker stays below 120 MiB of memory', async () => {
  const server = await startFakeServer();
  const { pid } = startAgentProcess({ server, dataFolder: makeTemporaryFolder() });
  await server.waitFor('hello');
  const [publisher, subscriber] = [await startLabDevice(), await startLabDevice()];
  for (const runId of [1, 2]) {
    await carryOutRun(
      { broker: { server }, publisher, subscriber },
      { runId, spec: makeTestSpec(), tls: null },
    );
  }
  const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  expect(Number(kibibytes) / 1_024).toBeLessThan(120);
});
