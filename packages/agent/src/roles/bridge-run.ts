import type { RoleResult } from '@mqttlab/shared/domain/role-result';
import type { Connected, Drained, PrepareBridge, StartLoad } from '@mqttlab/shared/protocol/agent';
import { BridgeWorker } from '../bridge/bridge-worker.ts';
import { findLinkInterface } from '../capabilities/link-interface.ts';
import { bindTo, readLoadResult } from './client-load.ts';
import { describeClock, describeDevice, describeLink, type Facts } from './environment.ts';
import { ProgressSeries } from './progress-series.ts';
import { nothingFound, nothingYet, RoleMonitor } from './role-monitor.ts';
import type { RoleRun, RunContext } from './role-run.ts';

/** The bridge's side of one Run: its process, started again when it dies, and the sampler beside it. */
export class BridgeRun implements RoleRun {
  readonly #context: RunContext;
  readonly #command: PrepareBridge;
  readonly #facts: Facts = {};
  readonly #progress = new ProgressSeries();
  readonly #worker: BridgeWorker;
  #monitor: RoleMonitor | null = null;

  constructor(context: RunContext, command: PrepareBridge) {
    const { device, events, log } = context;
    this.#context = context;
    this.#command = command;
    this.#worker = new BridgeWorker({
      workers: device.workers,
      listeners: {
        onPhase: events.onPhase,
        onLog: (level, text) => log.add(level, 'bridge', text),
        onProgress: (progress) => {
          this.#progress.add(progress);
          const { cpuPercent, deviceCpuPercent, residentBytes } = this.#monitor?.progress() ?? nothingYet;
          events.onProgress({ ...progress, cpuPercent, deviceCpuPercent, residentBytes });
        },
      },
      onGone: (pid) => device.records.remove(pid),
      onLog: (level, text) => log.add(level, 'agent', text),
      onTrouble: events.onTrouble,
    });
  }

  async prepare(): Promise<{ pid: number | null }> {
    const { device, log } = this.#context;
    const { spec, clock, energySource, cloud } = this.#command;
    const capabilities = await device.capabilities();
    const link = findLinkInterface(spec.link, capabilities.interfaces);
    Object.assign(this.#facts, describeDevice(capabilities), describeLink(link), describeClock(clock));
    this.#monitor = new RoleMonitor({
      ...{ device, sampleHz: spec.sampleHz, clock, link, energySource },
      onTrouble: this.#context.events.onTrouble,
    });
    await this.#monitor.prepare();
    await this.#worker.prepare({ ...this.#command, ...bindTo(link) });
    const { pid } = this.#worker;
    this.#facts['process.pid'] = pid;
    this.#facts['bridge.cloudBrokers'] = cloud.brokers.length;
    log.milestone('agent', `the bridge is ready (${spec.payloadCipher ?? 'payload in the clear'})`);
    return { pid };
  }

  async connect(): Promise<Connected> {
    return await this.#worker.connect();
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    const { pid } = this.#worker;
    if (pid !== null) this.#monitor?.start(at, [pid]);
    await this.#worker.startLoad(at);
    return { pid };
  }

  async drain(expected: number | null): Promise<Drained> {
    return await this.#worker.drain(expected);
  }

  async finish(): Promise<RoleResult> {
    await this.#monitor?.stop();
    const { facts, series = [], ...load } = await readLoadResult(() => this.#worker.finish());
    await this.#worker.stop();
    const found = (await this.#monitor?.conclude(load.phases)) ?? nothingFound(load.phases);
    Object.assign(this.#facts, facts, found.facts);
    return {
      role: 'bridge',
      device: '',
      share: { index: 0, of: 1 },
      upstream: null,
      bridge: null,
      ...load,
      phases: found.phases,
      energy: found.energy,
      perf: found.perf,
      clock: null,
      shaping: [],
      tcp: null,
      series: [...this.#progress.results(), ...series, ...found.series],
      degraded: [...load.degraded, ...found.degraded],
      environment: this.#facts,
      log: this.#context.log.lines(),
      failure: null,
    };
  }
}
