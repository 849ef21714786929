import type { PrepareBridge } from '@mqttlab/shared/messages/agent';
import { LoadWorkerProcess } from '../src/load/load-worker-process.ts';
import { readCpuUs } from './cpu-clock.ts';
import { workerEntry } from './load-run.ts';

/** A bridge in a separate process, as in a run. */
export class BridgeProcess {
  readonly #command: PrepareBridge;
  readonly #worker: LoadWorkerProcess;
  /** Number of messages that the cloud broker acknowledged. */
  forwarded = 0;
  /** Time at which connecting began. Messages can arrive as soon as one leg is connected. */
  connectedMs = 0;
  /** CPU time used before connecting began. */
  preparedCpuUs = 0;

  constructor(command: PrepareBridge) {
    this.#command = command;
    this.#worker = new LoadWorkerProcess({
      entry: workerEntry,
      onPhase: () => {},
      onProgress: () => {},
      onFailure: (failure) => console.error(failure.message),
      onLog: () => {},
      onTally: ({ bridge }) => {
        this.forwarded = bridge.forwarded;
      },
    });
  }

  get pid(): number {
    return this.#worker.pid ?? 0;
  }

  /** Runs `work` while both legs are connected. */
  async run<T>(work: (bridge: this) => Promise<T>): Promise<T> {
    try {
      await this.#worker.start();
      await this.#worker.prepare(this.#command);
      this.preparedCpuUs = readCpuUs(this.pid);
      this.connectedMs = performance.now();
      await this.#worker.connect();
      return await work(this);
    } finally {
      await this.#worker.finish();
      await this.#worker.stop();
    }
  }
}
