import type { BrokerReady } from '@mqttlab/shared/protocol/agent';
import { OwnedChild } from '../children/owned-child.ts';
import { RunFailure, reasonOf } from '../run-failure.ts';
import { brokerGroupListOf } from '../tls/group-list.ts';
import type { Broker, BrokerOptions, ProgramEntry } from './broker.ts';
import { type EmbeddedAnswer, embeddedAnswerSchema } from './embedded-listen.ts';

const startTimeoutMs = 10_000;
const stopPatienceMs = 500;
const keptLines = 20;
const mostOfALine = 200;

/** Aedes in a process of its own: for devices without Mosquitto, MQTT 3.1 and 3.1.1 only. */
export class EmbeddedBroker implements Broker {
  readonly #entry: ProgramEntry;
  readonly #version: string;
  readonly #options: BrokerOptions;
  readonly #lines: string[] = [];
  #child: OwnedChild | null = null;
  #stopped = false;
  #listener: ((lastWords: string) => void) | null = null;

  constructor(host: { entry: ProgramEntry; version: string }, options: BrokerOptions) {
    this.#entry = host.entry;
    this.#version = host.version;
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  onExit(listener: (lastWords: string) => void): void {
    this.#listener = listener;
  }

  async start(): Promise<BrokerReady> {
    if (this.#stopped) throw new RunFailure(this.#startFailed('it was stopped before it started'));
    const answer = await this.#launch();
    if (answer.kind === 'failed' || this.pid === null) {
      await this.stop();
      throw new RunFailure(this.#startFailed(answer.kind === 'failed' ? answer.reason : 'it has no pid'));
    }
    return {
      address: this.#options.address,
      port: answer.port,
      kind: 'embedded',
      version: this.#version,
      pid: this.pid,
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#child?.stop();
  }

  facts(): Record<string, string | number | boolean | null> {
    return {
      'broker.configuration': `aedes ${this.#version}, in-memory persistence, unthrottled, TCP_NODELAY`,
      'broker.tlsLibrary': `OpenSSL ${process.versions.openssl}`,
      'broker.endsWithAgent': true,
    };
  }

  #launch(): Promise<EmbeddedAnswer> {
    const { spec, tls, address, records } = this.#options;
    return new Promise((resolve) => {
      const fail = (reason: string) => resolve({ kind: 'failed', reason });
      const timer = setTimeout(() => fail('it did not answer'), startTimeoutMs);
      const child = new OwnedChild({
        command: this.#entry.execPath,
        args: [...this.#entry.args, 'embedded-broker'],
        onMessage: (message) => {
          const answer = embeddedAnswerSchema.safeParse(message);
          if (answer.success) resolve(answer.data);
          else fail(`it answered ${JSON.stringify(message)}`);
        },
        onLine: (line) => this.#keep(line),
        patienceMs: stopPatienceMs,
        records,
      });
      this.#child = child;
      child.start();
      child.exit
        .catch((error) => this.#keep(reasonOf(error)))
        .then(() => {
          clearTimeout(timer);
          fail(this.#lastWords() || 'it ended without a word');
          if (!this.#stopped) this.#listener?.(this.#lastWords());
        });
      const { transport, security, cipherSuite, group } = spec;
      const groupList = brokerGroupListOf(spec);
      const { certificateChain = '', privateKey = '', clientAuthority = null } = tls ?? {};
      const files = tls && { certificateChain, privateKey, clientAuthority };
      child.send({ address, transport, security, cipherSuite, group, groupList, tls: files });
    });
  }

  #keep(line: string): void {
    this.#lines.push(line.slice(0, mostOfALine));
    if (this.#lines.length > keptLines) this.#lines.shift();
    this.#options.onLog(/^warning/i.test(line) ? 'warn' : 'info', line);
  }

  #lastWords(): string {
    // Of a crash its first lines matter, not the stack below them.
    const telling = this.#lines.filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
    return telling.slice(-5).join(' | ');
  }

  #startFailed(reason: string) {
    return {
      code: 'broker-start',
      message: `The embedded broker did not start: ${reason}`,
      remedy: 'The certificate, the suite and the group asked for are the usual causes.',
    };
  }
}
