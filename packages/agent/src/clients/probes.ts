import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { Failure } from '@mqttlab/shared/kit/failure';
import { Latch, waitAtMost } from '@mqttlab/shared/kit/waiting';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { loadFailure } from '../base/load-failures.ts';
import type { ClientProcess } from './client-process.ts';
import { clientFailure } from './client-process.ts';
import { probePrefix } from './text-lines.ts';

type MakeClient = (
  role: PrepareClient['role'],
  onData: (chunk: Buffer) => void,
  onLost: (why: string) => void,
) => ClientProcess;

export interface ProbesOptions {
  command: Pick<PrepareClient, 'runTag' | 'role' | 'share'>;
  /** One client, in a sentence. */
  name: string;
  makeClient: MakeClient;
}

/** The first wait; each is longer than the one before, so that a slow link is not filled with probes. */
const firstWaitMs = 100;
const growth = 1.5;
const timeoutMs = 15_000;
const stopPatienceMs = 1_000;

/**
 * Not every client says when it is connected (mosquitto's only if they say it of every message as well). So lines are
 * sent on the topic until each of them has carried one; subscribers pass over them.
 */
export class Probes {
  readonly #options: ProbesOptions;
  readonly #trouble = Promise.withResolvers<never>();
  readonly #seen = new Set<string>();
  readonly #all = new Latch();
  #wanted = Number.POSITIVE_INFINITY;
  /** The other end, for as long as clients are being connected. */
  #helper: ClientProcess | null = null;
  #over = false;

  constructor(options: ProbesOptions) {
    this.#options = options;
    this.#trouble.promise.catch(() => {});
  }

  /** Ends the wait with a failure; false if the wait is over, and the failure is the caller's to report. */
  fail(failure: RoleFailure): boolean {
    if (this.#over) return false;
    this.#trouble.reject(new Failure(failure));
    return true;
  }

  /** A subscriber received a probe. */
  note(subscriber: number, text: string): void {
    if (text.startsWith(this.#line('s'))) this.#see(String(subscriber));
  }

  #see(client: string): void {
    this.#seen.add(client);
    if (this.#seen.size >= this.#wanted) this.#all.open();
  }

  /** Subscribes to the probes of the publishers. */
  async listen(): Promise<void> {
    let heard = '';
    this.#helper = this.#makeHelper('subscriber', (chunk) => {
      heard = (heard + chunk.toString('latin1')).slice(-65_536);
      for (const [, index] of heard.matchAll(new RegExp(`${escapePattern(this.#line('p'))}(\\d+)\\n`, 'g'))) {
        if (index !== undefined) this.#see(index);
      }
    });
  }

  async awaitPublishers(publishers: readonly ClientProcess[]): Promise<void> {
    await this.#repeat(publishers.length, () => {
      for (const [index, publisher] of publishers.entries()) {
        if (!this.#seen.has(String(index))) publisher.stdin.write(`${this.#line('p')}${index}\n`);
      }
    });
  }

  async awaitSubscribers(count: number): Promise<void> {
    const helper = this.#makeHelper('publisher', () => {});
    this.#helper = helper;
    await this.#repeat(count, () => helper.stdin.write(`${this.#line('s')}\n`));
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#helper?.stop(stopPatienceMs);
  }

  async #repeat(count: number, send: () => void): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    let waitMs = firstWaitMs;
    this.#wanted = count;
    while (this.#seen.size < count) {
      if (performance.now() > deadlineMs) {
        const message = `${count - this.#seen.size} of ${count} ${this.#options.name}s carried no message in ${timeoutMs / 1000} s.`;
        throw loadFailure('timeout', message);
      }
      send();
      const remainingMs = Math.max(0, deadlineMs - performance.now());
      await Promise.race([
        waitAtMost(Math.min(waitMs, remainingMs), this.#all.opened),
        this.#trouble.promise,
      ]);
      waitMs *= growth;
    }
    this.#over = true;
  }

  #makeHelper(role: PrepareClient['role'], onData: (chunk: Buffer) => void): ClientProcess {
    return this.#options.makeClient(role, onData, (why) => {
      this.fail(clientFailure(this.#options.name, why));
    });
  }

  /** Of this Run alone. */
  #line(of: 's' | 'p'): string {
    const { runTag, share } = this.#options.command;
    // Every device receives the probes of the others too.
    const device = share === null || of === 's' ? '' : `${share.index}-`;
    return `${probePrefix}${runTag.toString(16)}-${of}${device}`;
  }
}

function escapePattern(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&');
}
