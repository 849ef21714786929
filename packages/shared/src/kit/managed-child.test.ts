import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ManagedChild, type ManagedChildOptions } from './managed-child.ts';

function makeChild(options: Partial<ManagedChildOptions>): ManagedChild {
  const child = new ManagedChild({ command: 'sh', args: [], killAfterMs: 60_000, ...options });
  onTestFinished(() => child.stop('SIGKILL'));
  return child;
}

const shell = (script: string) => ({ command: 'sh', args: ['-c', script] });
const program = (source: string) => ({ command: process.execPath, args: ['-e', source] });

test('the lines of both outputs are read until the exit', async () => {
  const lines: string[] = [];
  const child = makeChild({
    ...shell('echo out; echo error >&2; echo "    at stack" >&2; exit 3'),
    onLine: (line, from) => lines.push(`${from} ${line}`),
  });
  child.start();
  child.start();
  expect(await child.exit).toEqual({ code: 3, signal: null });
  expect(lines.sort()).toEqual(['stderr     at stack', 'stderr error', 'stdout out']);
  expect(child.lastLines.split(' | ').sort()).toEqual(['error', 'out']);
});

test('stop sends the signal, and SIGKILL to a process that ignores it', async () => {
  const meek = makeChild(shell('exec sleep 60'));
  meek.start();
  await Promise.all([meek.stop(), meek.stop()]);
  expect(await meek.exit).toEqual({ code: null, signal: 'SIGTERM' });
  const stubborn = makeChild({
    ...shell('trap "" TERM; echo ready; while :; do sleep 0.1; done'),
    stderr: 'ignore',
  });
  stubborn.start();
  await expect.poll(() => stubborn.lines).toEqual(['ready']);
  await stubborn.stop('SIGTERM', 10);
  expect(await stubborn.exit).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a child that was stopped before it started never starts', async () => {
  const child = makeChild(shell('exec sleep 60'));
  await child.stop();
  child.start();
  expect(child.pid).toBeNull();
  expect(() => child.exit).toThrow('not started');
});

test('a child that cannot be started rejects, says why and can be stopped', async () => {
  const child = makeChild({ command: '/nowhere/at/all' });
  child.start();
  await expect(child.exit).rejects.toThrow('ENOENT');
  await child.stop();
  expect(child.lastLines).toContain('ENOENT');
});

test('the pid is on record while the process runs', async () => {
  const pids = new Set<number>();
  const records = {
    add: (pid: number) => void pids.add(pid),
    remove: async (pid: number) => void pids.delete(pid),
  };
  const child = makeChild({ ...shell('exec sleep 60'), records });
  child.start();
  expect([...pids]).toEqual([child.pid]);
  await child.stop();
  expect(pids.size).toBe(0);
});

test('a child that cannot be recorded is killed', async () => {
  const records = {
    add: () => {
      throw new Error('read-only disk');
    },
    remove: async () => {},
  };
  const child = makeChild({ ...shell('exec sleep 60'), records });
  child.start();
  await expect(child.exit).rejects.toThrow(/recorded \(read-only disk\)/);
});

test('messages are exchanged over IPC, with structured clones if wanted', async () => {
  const messages: unknown[] = [];
  const child = makeChild({
    ...program("process.once('message', (m) => { process.send(m); process.disconnect(); })"),
    onMessage: (message) => messages.push(message),
    serialization: 'advanced',
  });
  child.start();
  child.send({ at: new Map([[1, 2n]]) });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect(messages).toEqual([{ at: new Map([[1, 2n]]) }]);
  const lost = await new Promise<Error>((resolve) => child.send({}, resolve));
  expect(lost.message).toContain('not connected');
});

test('input and output are pipes on request', async () => {
  const child = makeChild({ command: 'cat', inputDescriptor: 0, stdout: 'stream' });
  child.start();
  child.input.end('through the pipe');
  expect(await text(child.output)).toBe('through the pipe');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  const third = makeChild({ ...shell('cat <&3'), inputDescriptor: 3 });
  third.start();
  third.input.end('by descriptor 3\n');
  await third.exit;
  expect(third.lines).toEqual(['by descriptor 3']);
  expect(() => third.output).toThrow('not a stream');
});

test('a child whose output nothing reads can be stopped', async () => {
  const child = makeChild({ command: 'yes', stdout: 'stream' });
  child.start();
  await child.stop();
  expect(await child.exit).toEqual({ code: null, signal: 'SIGTERM' });
});

test('the environment is inherited or complete', async () => {
  const inherited = makeChild({ ...shell('echo $OWN $HOME'), environment: { OWN: 'own' } });
  inherited.start();
  await inherited.exit;
  expect(inherited.lines).toEqual([`own ${process.env.HOME}`]);
  const complete = makeChild({
    command: 'env',
    environment: { PATH: process.env.PATH, OWN: 'own' },
    inheritsEnvironment: false,
  });
  complete.start();
  await complete.exit;
  expect([...complete.lines].sort()).toEqual(['OWN=own', `PATH=${process.env.PATH}`.slice(0, 200)]);
});
