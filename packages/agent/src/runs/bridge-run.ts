import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Connected, Drained, PrepareBridge, StartLoad } from '@mqttlab/shared/messages/agent';
import { BridgeWorker } from '../bridge/bridge-worker.ts';
import { bindTo, readLoadResult } from './load-result.ts';
import type { RoleRun, RunContext } from './role-run.ts';
import { RoleWatch } from './role-watch.ts';

/** The bridge's side of one Run: its process, started again when it dies, and the sampler beside it. */
export class BridgeRun implements RoleRun {
  readonly #context: RunContext;
  readonly #command: PrepareBridge;
  readonly #watch: RoleWatch;
  readonly #worker: BridgeWorker;

  constructor(context: RunContext, command: PrepareBridge) {
    const { device, events, log } = context;
    this.#context = context;
    this.#command = command;
    this.#watch = new RoleWatch(context, command);
    this.#worker = new BridgeWorker({
      workers: device.workers,
      listeners: {
        onPhase: events.onPhase,
        onLog: (level, text) => log.add(level, 'bridge', text),
        onProgress: this.#watch.onProgress,
      },
      onLog: (level, text) => log.add(level, 'agent', text),
      onTrouble: events.onTrouble,
    });
  }

  async prepare(): Promise<{ pid: number | null }> {
    const { spec, cloud } = this.#command;
    const link = await this.#watch.prepare(await this.#context.device.capabilities());
    await this.#worker.prepare({ ...this.#command, ...bindTo(link) });
    const { pid } = this.#worker;
    this.#watch.facts['process.pid'] = pid;
    this.#watch.facts['bridge.cloudBrokers'] = cloud.brokers.length;
    this.#context.log.milestone(
      'agent',
      `the bridge is ready (${spec.payloadCipher ?? 'payload in the clear'})`,
    );
    return { pid };
  }

  async connect(): Promise<Connected> {
    return await this.#worker.connect();
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    const { pid } = this.#worker;
    if (pid !== null) this.#watch.start(at, [pid]);
    await this.#worker.startLoad(at);
    return { pid };
  }

  async drain(expected: number | null): Promise<Drained> {
    return await this.#worker.drain(expected);
  }

  async finish(): Promise<RoleResult> {
    await this.#watch.stop();
    const load = await readLoadResult(() => this.#worker.finish());
    await this.#worker.stop();
    return {
      role: 'bridge',
      share: { index: 0, of: 1 },
      upstream: null,
      bridge: null,
      shaping: [],
      tcp: null,
      ...(await this.#watch.conclude(load)),
    };
  }
}
