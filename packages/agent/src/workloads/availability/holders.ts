import { eachLimited } from '../../load-process/each-limited.ts';
import type { Connection } from '../../mqtt/connection.ts';
import type { ConnectionSource } from '../../mqtt/connection-source.ts';

export interface HoldersOptions {
  connections: ConnectionSource;
  encrypted: boolean;
  /** All that are opened in the Run. */
  most: number;
}

/** The longest keep-alive that there is (MQTT 5 section 3.1.2.10): the broker waits half as long again. */
const longestKeepAliveS = 65_535;
/** Opened at once, as by an attacker in a hurry. */
const lanes = 20;

/**
 * SlowITe: connections that announce the longest keep-alive and then say nothing. Each is opened once; one that is
 * refused or thrown out does not come back, so that the broker meets no more of them than the Trial allows.
 */
export class Holders {
  readonly #options: HoldersOptions;
  readonly #held = new Set<Connection>();
  #refused = 0;
  #thrownOut = 0;
  #peak = 0;
  #stopped = false;

  constructor(options: HoldersOptions) {
    this.#options = options;
  }

  get held(): number {
    return this.#held.size;
  }

  get peak(): number {
    return this.#peak;
  }

  get refused(): number {
    return this.#refused;
  }

  get thrownOut(): number {
    return this.#thrownOut;
  }

  /** Never rejects; ends when all were tried or after `stop`. */
  async start(): Promise<void> {
    const all = Array.from({ length: this.#options.most }, (_, number) => number);
    await eachLimited(all, lanes, () => (this.#stopped ? Promise.resolve() : this.#open()));
  }

  /** Ends every connection at once; idempotent. */
  stop(): void {
    this.#stopped = true;
    for (const connection of this.#held) this.#options.connections.forget(connection);
    this.#held.clear();
  }

  async #open(): Promise<void> {
    const { connections, encrypted } = this.#options;
    const connection = connections.make({
      keepAliveS: longestKeepAliveS,
      onLost: () => this.#lose(connection),
    });
    try {
      await connection.openTcp();
      if (encrypted) await connection.openTls();
      await connection.openMqtt();
      if (this.#stopped) connections.forget(connection);
      else this.#held.add(connection);
      this.#peak = Math.max(this.#peak, this.#held.size);
    } catch {
      connections.forget(connection);
      this.#refused += 1;
    }
  }

  #lose(connection: Connection): void {
    if (!this.#held.delete(connection)) return;
    this.#options.connections.forget(connection);
    this.#thrownOut += 1;
  }
}
