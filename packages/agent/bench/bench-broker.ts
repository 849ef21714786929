import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '@mqttlab/shared/testing/within';
import type { TestCertificates } from '../src/testing/certificates.ts';

const startMs = 10_000;
const stopMs = 5_000;

/** A Mosquitto broker on loopback, configured in the same way as by the agent, without throttling. */
export class BenchBroker {
  #child: ChildProcess | null = null;
  #folder: string | null = null;
  port = 0;

  /**
   * Starts it with a certificate if one is given, otherwise without TLS. `own` contains additional lines for
   * mosquitto.conf.
   */
  async start(certificates?: TestCertificates, own: readonly string[] = []): Promise<this> {
    this.port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'agent-bench-'));
    this.#folder = folder;
    const path = join(folder, 'mosquitto.conf');
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const lines = [
      'user root',
      'allow_anonymous true',
      'set_tcp_nodelay true',
      'sys_interval 0',
      'log_dest none',
    ];
    const unlimited = [
      'max_inflight_messages 65535',
      'max_queued_messages 0',
      `listener ${this.port} 127.0.0.1`,
    ];
    const encrypted =
      certificates === undefined
        ? []
        : [
            `certfile ${file('certificate.pem', certificates.certificateChain)}`,
            `keyfile ${file('key.pem', certificates.privateKey)}`,
          ];
    writeFileSync(path, `${[...lines, ...unlimited, ...encrypted, ...own].join('\n')}\n`);
    this.#child = spawn('mosquitto', ['-c', path], { stdio: 'ignore' });
    const untilReady = async (): Promise<void> => {
      while (this.#child?.exitCode === null && !(await accepts(this.port))) await wait(20);
    };
    await within(startMs, 'Mosquitto listens', untilReady());
    if (this.#child.exitCode !== null) throw new Error('Mosquitto exited before it was listening');
    return this;
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('The broker is not running');
    return pid;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    const killTimer = setTimeout(() => child.kill('SIGKILL'), stopMs);
    child.kill('SIGTERM');
    if (child.exitCode === null) await gone;
    clearTimeout(killTimer);
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const bound = server.address();
      server.close(() => resolve(bound !== null && typeof bound === 'object' ? bound.port : 0));
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
