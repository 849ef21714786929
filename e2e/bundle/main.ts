import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';
import { stopOnSignal } from '../fixtures/stop-on-signal.ts';

/** Exports a small experiment and verifies the bundle with independent readers. Argument: the Python binary. */
const server = new TestServer();
stopOnSignal(() => server.remove());
try {
  await server.start();
  const factors = { security: ['plain', 'TLS 1.3'], rate: [200] };
  const id = await startExperiment(server, makeQuickDraft({ name: 'Bundle', factors, repetitions: 2 }));
  await waitUntilDone(server, id);
  const answer = await fetch(`${server.address}/api/v1/experiments/${id}/bundle.zip`);
  const file = join(server.dataFolder, 'bundle.zip');
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  const script = fileURLToPath(new URL('../../scripts/verify-bundle.py', import.meta.url));
  const verified = spawnSync(process.argv[2] ?? 'python3', [script, file], { stdio: 'inherit' });
  process.exitCode = verified.status ?? 1;
} finally {
  await server.remove();
}
if (process.connected) process.disconnect();
