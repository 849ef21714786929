import { once } from 'node:events';
import { monotonicUs } from '../../devices/device-clocks.ts';
import type { LoadClock } from '../session.ts';

/** A clock with which a load takes no time, or lasts until a test releases it. */
export class ScriptedLoadClock implements LoadClock {
  #nowUs = monotonicUs();
  #held: PromiseWithResolvers<void> | null = null;

  nowUs(): number {
    return this.#nowUs;
  }

  /** Loads that start from now on last until `release`. */
  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  async setTimeout(delayMs: number, _value: undefined, { signal }: { signal: AbortSignal }): Promise<void> {
    const atUs = this.#nowUs + delayMs * 1000;
    const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
    await Promise.race([this.#held?.promise, aborted]);
    signal.throwIfAborted();
    this.#nowUs = Math.max(this.#nowUs, atUs);
  }
}
