import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { Collector } from '../sampling/collector.ts';
import { makeMemoryCollector } from '../sampling/memory.ts';

export interface MemoryGuardOptions {
  procRoot: string;
  pid: number;
  maxBytes: number;
  onExceeded: (failure: RoleFailure) => void;
}

const everyMs = 100;

/** Looks after the resident memory of a broker whose sessions are abused, so that the device does not run out of it. */
export class MemoryGuard {
  readonly #options: MemoryGuardOptions;
  readonly #collector: Collector;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: MemoryGuardOptions) {
    this.#options = options;
    this.#collector = makeMemoryCollector(options.procRoot, [options.pid]);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#look(), everyMs);
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#collector.close();
  }

  #look(): void {
    const { maxBytes, onExceeded } = this.#options;
    const bytes = this.#read();
    if (bytes === null || bytes <= maxBytes) return;
    this.stop();
    onExceeded({
      code: 'abuse-memory',
      message: `The broker has ${Math.round(bytes / 1e6)} MB in memory, more than the ${Math.round(maxBytes / 1e6)} MB that this Run allows.`,
      remedy: 'Choose fewer sessions, fewer or smaller messages, or allow more memory, then retry the Run.',
    });
  }

  /** null once the process is gone. */
  #read(): number | null {
    try {
      return this.#collector.read(0)[0] ?? null;
    } catch {
      return null;
    }
  }
}
