import type { ProgramEntry } from '../brokers/broker.ts';
import type { ChildRecords } from '../children/child-records.ts';
import type { Environment } from '../tls/aes-instructions.ts';
import { LoadWorkerProcess, type WorkerListeners } from './load-worker-process.ts';

const unheard = { onProgress: () => {}, onPhase: () => {}, onLog: () => {} };

export interface SpareWorkerOptions {
  /** How this program starts itself again. */
  entry: ProgramEntry;
  records: ChildRecords;
  /** How long a spare that nobody takes may wait, ms. */
  idleMs: number;
}

interface Spare {
  worker: LoadWorkerProcess;
  started: Promise<void>;
}

/**
 * Starts the load worker of the next Run while the one before is put away: a program takes 0.1 s (on a Pi 0.5 s)
 * to load, which the next Run then need not wait for. Each Run still gets a process of its own.
 */
export class SpareWorker {
  readonly #options: SpareWorkerOptions;
  #spare: Spare | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SpareWorkerOptions) {
    this.#options = options;
  }

  /**
   * The spare, or a new one, always where it needs an environment of its own; `started` rejects with Failure. It
   * belongs to the caller, who stops it.
   */
  take(listeners: WorkerListeners, environment: Environment = {}): Spare {
    const isOwn = Object.keys(environment).length > 0;
    const spare = (isOwn ? null : this.#spare) ?? this.#launch(environment);
    if (!isOwn) this.#forget();
    spare.worker.listen(listeners);
    return spare;
  }

  /** Starts one, unless there is one already; it ends by itself when nobody takes it. */
  refill(): void {
    if (this.#spare !== null) return;
    this.#spare = this.#launch();
    this.#spare.started.catch(() => this.#forget());
    this.#timer = setTimeout(() => {
      this.stop().catch(() => {});
    }, this.#options.idleMs);
  }

  async stop(): Promise<void> {
    const spare = this.#spare;
    this.#forget();
    if (spare === null) return;
    await spare.worker.stop();
  }

  #forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#spare = null;
  }

  #launch(environment: Environment = {}): Spare {
    const { entry, records } = this.#options;
    const worker = new LoadWorkerProcess({
      entry: { execPath: entry.execPath, args: [...entry.args, 'load-worker'] },
      environment,
      records,
      ...unheard,
      onTrouble: () => {
        if (this.#spare === spare) this.#forget();
      },
    });
    const spare: Spare = { worker, started: worker.start() };
    return spare;
  }
}
