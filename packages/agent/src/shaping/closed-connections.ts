import { type ChildProcess, spawn } from 'node:child_process';
import { isIPv6 } from 'node:net';
import { findDeathSignalCommand } from '../broker/mosquitto-installation.ts';
import type { Endpoint } from './traffic.ts';

/** Until ss(8) listens: it says nothing about that. */
const settleMs = 200;
/** What it still has to say of the last connections that were closed. */
const lastWordMs = 200;

/**
 * TCP_INFO of every connection to one endpoint at the moment when the kernel forgets it (sock_diag(7)), as ss(8) prints
 * it: what a connection that is long closed had to send again is told nowhere else.
 */
export class ClosedConnections {
  readonly #endpoint: Endpoint;
  #child: ChildProcess | null = null;
  #text = '';

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Resolves once it listens; where there is no ss(8) nothing will be told. Never rejects. */
  async start(): Promise<void> {
    const { address, port } = this.#endpoint;
    const host = isIPv6(address) ? `[${address}]` : address;
    // It ends with the agent, however that ends.
    const [program = 'stdbuf', ...before] = [...(await findDeathSignalCommand()), 'stdbuf'];
    const words = [...before, '-oL', 'ss', '-EtinHO', 'dst', '=', `${host}:${port}`];
    const env = {
      ...process.env,
      LC_ALL: 'C',
      PATH: `/usr/sbin:/sbin:${process.env.PATH ?? '/usr/bin:/bin'}`,
    };
    const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.on('error', () => {});
    child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
      this.#text += chunk;
    });
    this.#child = child;
    await new Promise((resolve) => setTimeout(resolve, settleMs));
  }

  /** Lines as `ss -tinHO` has them, one for each connection that was closed. Idempotent. */
  async stop(): Promise<string> {
    const child = this.#child;
    this.#child = null;
    if (child !== null) {
      await new Promise((resolve) => setTimeout(resolve, lastWordMs));
      child.kill('SIGKILL');
    }
    return this.#text;
  }
}
