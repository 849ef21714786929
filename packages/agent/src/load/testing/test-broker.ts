import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TestCertificates } from '../../testing/certificates.ts';

export interface TestBroker {
  port: number;
  pid: number;
  stop: () => Promise<void>;
}

export interface TestBrokerOptions {
  certificates?: TestCertificates;
  /** Port of an earlier broker; a free one if absent. */
  port?: number;
  /** Additional lines of mosquitto.conf. */
  lines?: readonly string[];
}

/** Starts a real Mosquitto on a free loopback port. */
export async function startTestBroker({
  certificates,
  port: given,
  lines = [],
}: TestBrokerOptions = {}): Promise<TestBroker> {
  const port = given ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'load-test-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const encrypted =
    certificates === undefined
      ? []
      : [
          `certfile ${file('certificate.pem', certificates.certificateChain)}`,
          `keyfile ${file('key.pem', certificates.privateKey)}`,
        ];
  const configuration = [
    'user root',
    'set_tcp_nodelay true',
    'max_inflight_messages 0',
    'max_queued_messages 0',
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    ...encrypted,
    ...lines,
  ];
  const child = spawn('mosquitto', ['-c', file('mosquitto.conf', `${configuration.join('\n')}\n`)], {
    stdio: 'ignore',
  });
  await untilItAccepts(port, child);
  return { port, pid: child.pid ?? 0, stop: () => stopChild(child, folder) };
}

async function stopChild(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
}

async function untilItAccepts(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (child.exitCode !== null) throw new Error(`mosquitto ended with code ${child.exitCode}`);
    if (await accepts(port)) return;
    await wait(20);
  }
  throw new Error('mosquitto does not listen');
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const bound = server.address();
      server.close(() => resolve(bound !== null && typeof bound === 'object' ? bound.port : 0));
    });
  });
}
