import type { NetworkInterface } from '@mqttlab/shared/domain/capabilities';
import type { RoleResult } from '@mqttlab/shared/domain/role-result';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/protocol/agent';
import { findLinkInterface } from '../capabilities/link-interface.ts';
import { LoadWorkerProcess } from '../load/load-worker-process.ts';
import type { LoadResult } from '../load/worker-protocol.ts';
import { reasonOf } from '../run-failure.ts';
import { readProportionalBytes } from '../sampling/memory.ts';
import type { Sampler } from '../sampling/sampler.ts';
import { describeClock, describeDevice, describeFrequency, describeLink, type Facts } from './environment.ts';
import { ProgressSeries } from './progress-series.ts';
import type { RoleRun, RunContext } from './role-run.ts';
import { makeRoleSampler, progressOf } from './role-sampler.ts';

const finishPatienceMs = 3_000;

/** A publisher's or subscriber's side of one Run: its load worker, and the sampler beside it. */
export class ClientRun implements RoleRun {
  readonly #context: RunContext;
  readonly #command: PrepareClient;
  readonly #worker: LoadWorkerProcess;
  readonly #facts: Facts = {};
  readonly #degraded: RoleResult['degraded'] = [];
  readonly #progress = new ProgressSeries();
  #link: NetworkInterface | null = null;
  #sampler: Sampler | null = null;

  constructor(context: RunContext, command: PrepareClient) {
    const { device, events, log } = context;
    this.#context = context;
    this.#command = command;
    this.#worker = new LoadWorkerProcess({
      entry: { execPath: device.entry.execPath, args: [...device.entry.args, 'load-worker'] },
      onPhase: events.onPhase,
      onProgress: (progress) => {
        const { wireBytesPerSecond: _coarser, ...own } = progressOf(this.#sampler);
        this.#progress.add(progress);
        events.onProgress({ ...progress, ...own });
      },
      onTrouble: events.onTrouble,
      onLog: (level, text) => log.add(level, 'load', text),
    });
  }

  async prepare(): Promise<{ pid: number | null }> {
    const { device, log } = this.#context;
    const { spec, clock } = this.#command;
    const started = this.#worker.start();
    const { pid } = this.#worker;
    if (pid !== null) device.records.add(pid);
    const [capabilities] = await Promise.all([device.capabilities(), started]);
    this.#link = this.#findLink(capabilities.interfaces);
    Object.assign(this.#facts, describeDevice(capabilities), describeLink(this.#link), describeClock(clock));
    await this.#worker.prepare(this.#command);
    this.#facts['process.pid'] = pid;
    log.milestone('agent', `${this.#command.role} of ${spec.security} is ready`);
    return { pid };
  }

  connect(): Promise<Connected> {
    return this.#worker.connect();
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    const { device } = this.#context;
    const { spec, clock } = this.#command;
    const { pid } = this.#worker;
    if (pid !== null) {
      const { sampleHz } = spec;
      this.#sampler = makeRoleSampler({ device, sampleHz, pid, link: this.#link, at, clock });
      this.#sampler.start();
    }
    await this.#worker.startLoad(at);
    return { pid };
  }

  async drain(expected: number | null): Promise<Drained> {
    return this.#worker.drain(expected);
  }

  async finish(): Promise<RoleResult> {
    const { device, log } = this.#context;
    const { pid } = this.#worker;
    this.#sampler?.stop();
    Object.assign(this.#facts, describeFrequency(device.sysRoot), {
      'memory.proportionalBytes': pid === null ? null : readProportionalBytes(device.procRoot, pid),
      'sampler.missed': this.#sampler?.missed ?? 0,
    });
    const load = await this.#readLoadResult();
    await this.#worker.stop();
    if (pid !== null) await device.records.remove(pid);
    const sampled = this.#sampler?.results() ?? { series: [], degraded: [] };
    return {
      role: this.#command.role,
      ...load,
      series: [...this.#progress.results(), ...sampled.series],
      degraded: [...this.#degraded, ...load.degraded, ...sampled.degraded],
      environment: this.#facts,
      log: log.lines(),
      failure: null,
    };
  }

  /** What the worker has, or nothing when it is gone or does not answer. */
  async #readLoadResult(): Promise<LoadResult> {
    let impatience: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_resolve, reject) => {
      impatience = setTimeout(() => reject(new Error('it did not answer')), finishPatienceMs);
    });
    try {
      return await Promise.race([this.#worker.finish(), tooLong]);
    } catch (error) {
      return { ...emptyLoadResult, degraded: [{ collector: 'load', reason: reasonOf(error) }] };
    } finally {
      clearTimeout(impatience);
    }
  }

  /** A client needs the interface only for its counters; the broker's address is given. */
  #findLink(interfaces: readonly NetworkInterface[]): NetworkInterface | null {
    try {
      return findLinkInterface(this.#command.spec.link, interfaces);
    } catch (error) {
      this.#degraded.push({ collector: 'network', reason: reasonOf(error) });
      return null;
    }
  }
}

const emptyLoadResult: LoadResult = {
  phases: [],
  negotiated: null,
  localPorts: [],
  counters: null,
  latency: null,
  lateness: null,
  degraded: [],
};
