import { randomInt } from 'node:crypto';
import { AgentError } from './agent-link.ts';

interface Waiting<T> {
  resolve: (answer: T) => void;
  reject: (error: AgentError) => void;
  timer: NodeJS.Timeout;
}

/** Questions to a device that wait for their answers, by number. */
export class PendingAnswers<T> {
  readonly #waiting = new Map<number, Waiting<T>>();
  /** Begins anywhere: an answer that was meant for an earlier connection must not find a question here. */
  #nextId = randomInt(1, 2 ** 40);

  /**
   * Numbers the question and sends it; rejects with AgentError 'agent-silent' after `timeoutMs`. An answer that arrived
   * while this process was blocked counts: Node.js runs due timers before it reads from sockets.
   */
  ask(options: { what: string; timeoutMs: number; send: (id: number) => void }): Promise<T> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const expire = (): void => this.settle(id, { error: silent(options.what, options.timeoutMs) });
      const timer = setTimeout(() => setImmediate(expire), options.timeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
      options.send(id);
    });
  }

  /** Resolves or rejects a question; an answer without a question is dropped. */
  settle(id: number, answer: { value: T } | { error: AgentError }): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if ('value' in answer) waiting.resolve(answer.value);
    else waiting.reject(answer.error);
  }

  rejectAll(error: AgentError): void {
    for (const id of [...this.#waiting.keys()]) this.settle(id, { error });
  }
}

function silent(what: string, timeoutMs: number): AgentError {
  return new AgentError({
    code: 'agent-silent',
    message: `The device did not answer to "${what}" within ${timeoutMs / 1000} s.`,
    remedy: 'Look at the load and the log of that device, then retry the run.',
  });
}

/** First and longest wait between two questions, ms: short at first, for a database that was only busy. */
const usualRetryMs: readonly [number, number] = [500, 15_000];

/** Results of one device that came and could not be stored: the oldest is asked for until it can be, then the next. */
export class OwedResults {
  readonly #ask: (key: string) => void;
  readonly #keys = new Set<string>();
  readonly #retryMs: readonly [number, number];
  #waitMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(ask: (key: string) => void, retryMs = usualRetryMs) {
    this.#ask = ask;
    this.#retryMs = retryMs;
    this.#waitMs = retryMs[0];
  }

  /** False when it was owed already. */
  add(key: string): boolean {
    const isNew = !this.#keys.has(key);
    this.#keys.add(key);
    this.#timer ??= setTimeout(() => this.#askNext(), this.#waitMs);
    return isNew;
  }

  /** It came: there is room again, also for the others. */
  remove(key: string): void {
    if (!this.#keys.delete(key)) return;
    this.stop();
    this.#waitMs = this.#retryMs[0];
    const [next] = this.#keys;
    if (next !== undefined) this.#askNext();
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #askNext(): void {
    const [key] = this.#keys;
    this.#waitMs = Math.min(this.#retryMs[1], this.#waitMs * 2);
    this.#timer = setTimeout(() => this.#askNext(), this.#waitMs);
    if (key !== undefined) this.#ask(key);
  }
}
