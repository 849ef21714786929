import { createInterface } from 'node:readline';
import type { ReconnectAnswer } from '../told-connections.ts';
import { connected, type OpenClient, open, type ReachedEndpoint, toldOf } from './mqtt-js-connection.ts';
import type { ScriptSettings } from './script-settings.ts';

/**
 * A connection for each message: "open" and "close" on standard input, what lies between is published. Each of the two
 * words is answered by one line.
 */
export async function runReconnects(settings: ScriptSettings, to: ReachedEndpoint): Promise<void> {
  let current: MessageClient | null = null;
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      if (line === 'open') {
        current?.drop();
        current = new MessageClient(settings, to);
        answer(await current.open());
      } else if (line === 'close') {
        await current?.close();
        answer({ closed: true });
      } else current?.publish(line);
    } catch (error) {
      current?.drop();
      answer({ failed: error instanceof Error ? error.message : String(error) });
    }
  }
  current?.drop();
}

function answer(told: ReconnectAnswer): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

class MessageClient {
  readonly #settings: ScriptSettings;
  readonly #opened: OpenClient;
  readonly #lost: Promise<never>;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(settings: ScriptSettings, to: ReachedEndpoint) {
    this.#settings = settings;
    this.#opened = open(settings, to);
    const { client } = this.#opened;
    this.#lost = new Promise((_resolve, reject) => {
      client.on('error', reject);
      client.on('close', () => reject(new Error('The connection was lost.')));
    });
    this.#lost.catch(() => {});
  }

  async open(): Promise<ReconnectAnswer> {
    await Promise.race([connected(this.#opened), this.#lost]);
    const endedUs = performance.now() * 1_000;
    const { beganUs, tcpUs, tlsUs } = this.#opened.marks;
    const secured = this.#settings.tls === null ? tcpUs : tlsUs;
    return {
      opened: {
        ...toldOf(this.#opened, null),
        address: this.#opened.socket()?.localAddress ?? '',
        port: this.#opened.socket()?.localPort ?? 0,
        tcpUs: tcpUs - beganUs,
        tlsUs: this.#settings.tls === null ? null : tlsUs - tcpUs,
        connectUs: endedUs - secured,
        setUpUs: endedUs - beganUs,
      },
    };
  }

  publish(line: string): void {
    const { topic, qos } = this.#settings;
    this.#sent = this.#opened.client.publishAsync(topic, line, { qos });
    this.#sent.catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.race([this.#sent, this.#lost]);
    await this.#opened.client.endAsync();
  }

  drop(): void {
    this.#opened.client.end(true);
  }
}
