import type { RoleResult } from '@mqttlab/shared/domain/role-result';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/protocol/agent';
import { findLinkInterface } from '../capabilities/link-interface.ts';
import type { LoadWorkerProcess } from '../load/load-worker-process.ts';
import { bindTo, readLoadResult } from './client-load.ts';
import { describeClock, describeDevice, describeLink, type Facts } from './environment.ts';
import { Mirror, wantsMirror } from './mirror.ts';
import { ProgressSeries } from './progress-series.ts';
import { nothingFound, nothingYet, RoleMonitor } from './role-monitor.ts';
import type { RoleRun, RunContext } from './role-run.ts';
import { RunLink } from './run-link.ts';
import type { WorkerListeners } from './spare-worker.ts';

/** A publisher's or subscriber's side of one Run: its load worker, and the sampler beside it. */
export class ClientRun implements RoleRun {
  readonly #context: RunContext;
  readonly #command: PrepareClient;
  readonly #facts: Facts = {};
  readonly #progress = new ProgressSeries();
  readonly #link: RunLink;
  #worker: LoadWorkerProcess | null = null;
  #monitor: RoleMonitor | null = null;
  #mirror: Mirror | null = null;
  /** Of another client engine; null: the worker carries the load itself. */
  #processes: readonly number[] | null = null;

  constructor(context: RunContext, command: PrepareClient) {
    this.#context = context;
    this.#command = command;
    this.#link = new RunLink({ context, spec: command.spec, side: 'client' });
  }

  async prepare(): Promise<{ pid: number | null }> {
    const { device, folder, log } = this.#context;
    const { spec, clock, role, energySource } = this.#command;
    const { worker, started } = device.workers.take(this.#makeListeners());
    this.#worker = worker;
    const [capabilities] = await Promise.all([device.capabilities(), started]);
    // Without it the traffic would take another way.
    const link = findLinkInterface(spec.link, capabilities.interfaces);
    Object.assign(this.#facts, describeDevice(capabilities), describeLink(link), describeClock(clock));
    this.#monitor = new RoleMonitor({
      ...{ device, sampleHz: spec.sampleHz, clock, link, energySource },
      onTrouble: this.#context.events.onTrouble,
    });
    await this.#monitor.prepare();
    if (wantsMirror(this.#command)) this.#mirror = new Mirror(this.#context, this.#command);
    const { broker: endpoint, shaping: order } = this.#command;
    await this.#link.prepare({ order, endpoint, interfaceName: link.name });
    const bound = bindTo(link);
    await Promise.all([worker.prepare({ ...this.#command, folder, ...bound }), this.#mirror?.prepare()]);
    const { pid } = worker;
    this.#facts['process.pid'] = pid;
    log.milestone('agent', `${role} is ready (${spec.security})`);
    return { pid };
  }

  async connect(): Promise<Connected> {
    await this.#mirror?.connect();
    const { processes, ...connected } = await this.#present().connect();
    this.#processes = processes;
    return connected;
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    const worker = this.#present();
    const { pid } = worker;
    this.#link.start();
    if (pid !== null) {
      const helpers = [this.#mirror?.pid ?? null, this.#processes === null ? null : pid];
      this.#monitor?.start(
        at,
        this.#processes ?? [pid],
        helpers.filter((helper) => helper !== null),
      );
    }
    await Promise.all([worker.startLoad(at), this.#mirror?.start(at)]);
    return { pid };
  }

  async drain(expected: number | null): Promise<Drained> {
    const drained = await this.#present().drain(expected);
    await this.#mirror?.drain(drained.messages);
    await this.#link.drain();
    return drained;
  }

  async finish(): Promise<RoleResult> {
    const { device, log } = this.#context;
    const pid = this.#worker?.pid ?? null;
    await this.#monitor?.stop();
    const { facts, series: sampled = [], ...load } = await readLoadResult(() => this.#present().finish());
    const mirrored = await this.#mirror?.finish();
    await this.#worker?.stop();
    const { degraded: linkDoubts, ...linked } = await this.#link.finish();
    if (pid !== null) await device.records.remove(pid);
    const found = (await this.#monitor?.conclude(load.phases)) ?? nothingFound(load.phases);
    Object.assign(this.#facts, facts, found.facts);
    return {
      role: this.#command.role,
      device: '',
      upstream: null,
      bridge: null,
      share: resultShareOf(this.#command),
      ...load,
      phases: found.phases,
      histograms: {
        ...load.histograms,
        ...(mirrored?.roundTrip ? { roundTrip: mirrored.roundTrip } : {}),
      },
      energy: found.energy,
      perf: found.perf,
      clock: null,
      ...linked,
      series: [...this.#progress.results(), ...sampled, ...(mirrored?.series ?? []), ...found.series],
      degraded: [...load.degraded, ...found.degraded, ...linkDoubts, ...(mirrored?.degraded ?? [])],
      environment: this.#facts,
      log: log.lines(),
      failure: null,
    };
  }

  #present(): LoadWorkerProcess {
    if (this.#worker !== null) return this.#worker;
    throw new Error('there is no load worker');
  }

  #makeListeners(): WorkerListeners {
    const { events, log } = this.#context;
    return {
      onPhase: events.onPhase,
      onTrouble: events.onTrouble,
      onLog: (level, text) => log.add(level, 'load', text),
      onProgress: (progress) => {
        this.#progress.add(progress);
        const { cpuPercent, deviceCpuPercent, residentBytes } = this.#monitor?.progress() ?? nothingYet;
        events.onProgress({ ...progress, cpuPercent, deviceCpuPercent, residentBytes });
      },
    };
  }
}

function resultShareOf({ share }: PrepareClient): RoleResult['share'] {
  return share === null ? { index: 0, of: 1 } : { index: share.index, of: share.of };
}
