import { isIPv6 } from 'node:net';
import { findDeathSignalCommand } from '../brokers/mosquitto-installation.ts';
import type { ChildRecords } from '../children/child-records.ts';
import { OwnedChild } from '../children/owned-child.ts';
import type { Endpoint } from './traffic.ts';

/** Until ss(8) listens: it says nothing about that. */
const settleMs = 200;
/** What it still has to say of the last connections that were closed. */
const lastWordMs = 200;
const patienceMs = 500;

/**
 * TCP_INFO of every connection to one endpoint at the moment when the kernel forgets it (sock_diag(7)), as ss(8) prints
 * it: what a connection that is long closed had to send again is told nowhere else.
 */
export class ClosedConnections {
  readonly #endpoint: Endpoint;
  readonly #records: ChildRecords;
  #child: OwnedChild | null = null;
  #isStopped = false;
  #text = '';

  constructor(endpoint: Endpoint, records: ChildRecords) {
    this.#endpoint = endpoint;
    this.#records = records;
  }

  /** Resolves once it listens; where there is no ss(8) nothing will be told. Never rejects. */
  async start(): Promise<void> {
    const { address, port } = this.#endpoint;
    const host = isIPv6(address) ? `[${address}]` : address;
    // It ends with the agent; where that ended before this was arranged, its successor ends it by the record.
    const [command = 'stdbuf', ...before] = [...(await findDeathSignalCommand()), 'stdbuf'];
    // The run was given up meanwhile.
    if (this.#isStopped) return;
    const child = new OwnedChild({
      command,
      args: [...before, '-oL', 'ss', '-EtinHO', 'dst', '=', `${host}:${port}`],
      environment: { LC_ALL: 'C', PATH: `/usr/sbin:/sbin:${process.env.PATH ?? '/usr/bin:/bin'}` },
      onLine: (line) => {
        this.#text += `${line}\n`;
      },
      patienceMs,
      records: this.#records,
    });
    child.start();
    child.exit.catch(() => {});
    this.#child = child;
    await new Promise((resolve) => setTimeout(resolve, settleMs));
  }

  /** Lines as `ss -tinHO` has them, one for each connection that was closed. Idempotent. */
  async stop(): Promise<string> {
    this.#isStopped = true;
    const child = this.#child;
    this.#child = null;
    if (child !== null) {
      await new Promise((resolve) => setTimeout(resolve, lastWordMs));
      await child.stop();
    }
    return this.#text;
  }
}
