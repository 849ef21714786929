import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PendingAnswers } from './pending-answers.ts';

/** A thread that returns every number it gets. */
async function startEcho(onNumber: (id: number) => void): Promise<Worker> {
  const script =
    "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (id) => parentPort.postMessage(id));";
  const worker = new Worker(script, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  await new Promise((resolve) => {
    worker.once('message', resolve);
    worker.postMessage(0);
  });
  worker.on('message', onNumber);
  return worker;
}

/** Blocks this process after it has read from its sockets, so that it runs due timers next. */
async function block(ms: number): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('answers of a device', () => {
  it('count if they arrived while this process was blocked beyond the timeout', async () => {
    const answers = new PendingAnswers<string>();
    const worker = await startEcho((id) => answers.settle(id, { value: 'here' }));
    const answer = answers.ask({ what: 'clock', timeoutMs: 100, send: (id) => worker.postMessage(id) });
    await block(1000);
    await expect(answer).resolves.toBe('here');
  });

  it('that do not arrive in time are reported as the silence of the device', async () => {
    const answer = new PendingAnswers<string>().ask({ what: 'clock', timeoutMs: 10, send: () => {} });
    await expect(answer).rejects.toMatchObject({ failure: { code: 'agent-silent' } });
  });
});
