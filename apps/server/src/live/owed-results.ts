/** Between two questions: short at first, for a database that was only busy. */
const [firstWaitMs, maxWaitMs] = [500, 15_000];

/** Results of one device that came and could not be stored: the oldest is asked for until it can be, then the next. */
export class OwedResults {
  readonly #ask: (key: string) => void;
  readonly #keys = new Set<string>();
  #waitMs = firstWaitMs;
  #timer: NodeJS.Timeout | null = null;

  constructor(ask: (key: string) => void) {
    this.#ask = ask;
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
    this.#waitMs = firstWaitMs;
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
    this.#waitMs = Math.min(maxWaitMs, this.#waitMs * 2);
    this.#timer = setTimeout(() => this.#askNext(), this.#waitMs);
    if (key !== undefined) this.#ask(key);
  }
}
