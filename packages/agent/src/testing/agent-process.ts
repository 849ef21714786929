import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { childrenOf as childPidsOf, commandOf } from '@mqttlab/shared/testing/processes';
import { onTestFinished } from 'vitest';
import { testEntry } from './entry.ts';
import type { FakeServer } from './fake-server.ts';

export interface AgentProcess {
  pid: number;
  dataFolder: string;
  /** Its output to stderr so far. */
  readonly log: string;
  signal(signal: NodeJS.Signals): void;
  /** Like a server that dies: closes the channel to its child and the end of its stderr. */
  abandon(): void;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface AgentProcessOptions {
  server: FakeServer;
  dataFolder: string;
  brokers?: string;
  /** The agent as a program; its sources if absent. */
  entry?: readonly string[];
  /** As the server starts agents on its machine: with a channel between the two. */
  child?: boolean;
}

/** The real agent as a real process; ended after the test. */
export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { server, dataFolder, brokers = 'mosquitto', entry = testEntry.args } = options;
  const args = [...entry, '--server', server.address.href, '--data', dataFolder, '--brokers', brokers];
  const child = spawn(testEntry.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe', ...(options.child ? (['ipc'] as const) : [])],
    env: { ...process.env, MQTTLAB_AGENT_TOKEN: server.token, NODE_OPTIONS: '' },
  });
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const ended = settle(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    dataFolder,
    get log() {
      return log;
    },
    signal: (signal) => void child.kill(signal),
    abandon() {
      child.disconnect();
      child.stderr?.destroy();
    },
    ended,
  };
}

async function settle(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal]: [number | null, NodeJS.Signals | null] = await once(child, 'exit').then(
    ([exitCode, exitSignal]) => [exitCode, exitSignal],
  );
  return code ?? signal ?? 'SIGKILL';
}

/** The current children of a process, with their command lines. */
export function childrenOf(pid: number): { pid: number; command: string }[] {
  return childPidsOf(pid).map((child) => ({ pid: child, command: commandOf(child) }));
}

/** A zombie is no longer running; it only waits to be reaped. */
export function isRunning(pid: number): boolean {
  return commandOf(pid) !== '';
}
