import { reasonOf } from '../runs/run-failure.ts';
import { ThrottlingLog, type ThrottlingSource } from './throttling.ts';

/** Looks again and again whether the device slows itself down. Nothing here rejects. */
export class ThrottlingWatch {
  readonly #source: ThrottlingSource;
  readonly #log = new ThrottlingLog();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #trouble: string | null = null;

  constructor(source: ThrottlingSource) {
    this.#source = source;
  }

  start(): void {
    if (this.#timer !== null) return;
    this.#look();
    this.#timer = setInterval(() => this.#look(), this.#source.everyMs);
  }

  /** Looks once more; idempotent. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#look();
    await this.#looking;
  }

  facts() {
    return { 'throttling.source': this.#source.name, ...this.#log.facts() };
  }

  /** Why it could not look any more; null when all went well. */
  get trouble(): string | null {
    return this.#trouble;
  }

  #look(): void {
    this.#looking = this.#looking.then(async () => {
      try {
        this.#log.add(await this.#source.read());
      } catch (error) {
        this.#trouble ??= reasonOf(error);
      }
    });
  }
}
