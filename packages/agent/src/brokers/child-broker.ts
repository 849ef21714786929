import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import type { BrokerReady } from '@mqttlab/shared/messages/agent';
import { aesEnvironment } from '../tls/aes-instructions.ts';
import type { Broker, BrokerFacts, BrokerOptions, ProgramEntry } from './broker.ts';
import { type EmbeddedAnswer, embeddedAnswerSchema } from './embedded-listen.ts';

export interface ChildBrokerOptions extends Pick<BrokerOptions, 'spec' | 'address' | 'records' | 'onLog'> {
  entry: ProgramEntry;
  /** In which this program starts itself once more. */
  mode: string;
  kind: string;
  version: string;
  /** In a sentence: "The embedded broker". */
  name: string;
  /** What it is told over IPC, once. */
  listen: object;
  facts: BrokerFacts;
}

const startTimeoutMs = 10_000;
const killAfterMs = 500;

/** A server of our own in a process of its own: told over IPC where to listen, gone when the agent is gone. */
export class ChildBroker implements Broker {
  readonly #options: ChildBrokerOptions;
  #child: ManagedChild | null = null;
  #stopped = false;
  #listener: ((lastLines: string) => void) | null = null;

  constructor(options: ChildBrokerOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  onExit(listener: (lastLines: string) => void): void {
    this.#listener = listener;
  }

  async start(): Promise<BrokerReady> {
    if (this.#stopped) throw new Failure(this.#startFailed('it was stopped before it started'));
    const answer = await this.#launch();
    if (answer.kind === 'failed' || this.pid === null) {
      await this.stop();
      throw new Failure(this.#startFailed(answer.kind === 'failed' ? answer.reason : 'it has no pid'));
    }
    const { address, kind, version } = this.#options;
    return { address, port: answer.port, kind, version, pid: this.pid };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#child?.stop();
  }

  facts(): BrokerFacts {
    return { ...this.#options.facts, 'broker.endsWithAgent': true };
  }

  #launch(): Promise<EmbeddedAnswer> {
    const { entry, mode, records, listen, spec } = this.#options;
    return new Promise((resolve) => {
      const fail = (reason: string) => resolve({ kind: 'failed', reason });
      const timer = setTimeout(() => fail('it did not answer'), startTimeoutMs);
      const child = new ManagedChild({
        command: entry.execPath,
        args: [...entry.args, mode],
        environment: aesEnvironment(spec),
        onMessage: (message) => {
          const answer = embeddedAnswerSchema.safeParse(message);
          if (answer.success) resolve(answer.data);
          else fail(`it answered ${JSON.stringify(message)}`);
        },
        onLine: (line) => this.#log(line),
        killAfterMs,
        records,
      });
      this.#child = child;
      child.start();
      child.exit
        .catch((error) => this.#log(reasonOf(error)))
        .then(() => {
          clearTimeout(timer);
          fail(child.lastLines || 'it ended and printed nothing');
          if (!this.#stopped) this.#listener?.(child.lastLines);
        });
      child.send(listen);
    });
  }

  #log(line: string): void {
    this.#options.onLog(/^warning/i.test(line) ? 'warn' : 'info', line);
  }

  #startFailed(reason: string) {
    return {
      code: 'broker-start',
      message: `${this.#options.name} did not start: ${reason}`,
      remedy: 'The address, the certificate, the suite and the group asked for are the usual causes.',
    };
  }
}
