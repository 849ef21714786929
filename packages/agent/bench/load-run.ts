import { fileURLToPath } from 'node:url';
import { neutralSpec, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { PayloadKey } from '@mqttlab/shared/messages/agent';
import { LoadWorkerProcess } from '../src/load/load-worker-process.ts';
import { hrtimeUs } from '../src/load/pacing/clock.ts';
import type { LoadResult } from '../src/load/worker-messages.ts';
import type { TestCertificates } from '../src/testing/certificates.ts';

export interface LoadRunOptions {
  port: number;
  role: 'publisher' | 'subscriber';
  spec: TrialSpec;
  /** Certificate of the broker; absent without TLS. */
  certificates?: TestCertificates;
  payloadKey?: PayloadKey;
}

/** Command that starts a load worker. */
export const workerEntry = {
  execPath: process.execPath,
  args: [fileURLToPath(new URL('../src/main.ts', import.meta.url)), 'load-worker'],
};
const leadMs = 200;

/** Makes a load of 100-byte messages over plain TCP with MQTT 3.1.1. */
export function makeBenchSpec(change: Partial<TrialSpec>): TrialSpec {
  return {
    ...neutralSpec,
    mqttVersion: '3.1.1',
    readingsPerSecond: null,
    link: 'loopback',
    topic: 'bench/readings',
    measureMs: 3_000,
    ...change,
  };
}

/** Runs one load worker through a complete run. */
export class LoadRun {
  readonly #options: LoadRunOptions;
  readonly worker: LoadWorkerProcess;

  constructor(options: LoadRunOptions) {
    this.#options = options;
    this.worker = new LoadWorkerProcess({
      entry: workerEntry,
      onPhase: () => {},
      onProgress: () => {},
      onFailure: (failure) => console.error(failure.message),
      onLog: (_level, text) => console.error(text),
    });
  }

  async connect(): Promise<void> {
    const { port, role, spec, certificates, payloadKey = null } = this.#options;
    await this.worker.start();
    await this.worker.prepare({
      kind: 'prepare-client',
      role,
      spec,
      broker: { address: '127.0.0.1', port },
      authority: certificates?.authority ?? null,
      serverName: certificates?.serverName ?? 'localhost',
      certificate: null,
      credentials: null,
      payloadKey,
      mirror: false,
      energySource: null,
      share: null,
      runTag: 0xbe7c4,
      clock: { offsetUs: 0, uncertaintyUs: 0 },
    });
    await this.worker.connect();
  }

  /** Resolves at the start of the measure phase with its duration in ms. */
  async measure(): Promise<void> {
    const { spec } = this.#options;
    const warmUpAtUs = hrtimeUs() + leadMs * 1e3;
    const measureAtUs = warmUpAtUs + spec.warmUpMs * 1e3;
    await this.worker.startLoad({
      kind: 'start',
      warmUpAtUs,
      measureAtUs,
      stopAtUs: measureAtUs + spec.measureMs * 1e3,
    });
  }

  /** Waits until the load has ended. */
  async finish(expected: number | null = null): Promise<LoadResult & { messages: number }> {
    try {
      const { messages } = await this.worker.drain(expected);
      return { ...(await this.worker.finish()), messages };
    } finally {
      await this.worker.stop();
    }
  }
}

export function measurePhase(result: Pick<RoleResult, 'phases'>): RoleResult['phases'][number] {
  const phase = result.phases.find(({ phase }) => phase === 'measure');
  if (phase === undefined) throw new Error('The run has no measure phase');
  return phase;
}
