import type { AgentCapabilities, NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { findLinkInterface } from '../capabilities/link-interface.ts';
import type { WorkerListeners } from '../load-process/load-worker-process.ts';
import type { LoadResult } from '../load-process/worker-messages.ts';
import { describeClock, describeDevice, describeLink, type Facts } from './environment.ts';
import { ProgressSeries } from './progress-series.ts';
import { nothingFound, nothingYet, RoleMonitor } from './role-monitor.ts';
import type { RunContext } from './role-run.ts';

type Watched = Pick<PrepareClient, 'spec' | 'clock' | 'energySource'>;

/** What stands in every result of a load, whatever carried it. */
type WatchedResult = Omit<LoadResult, 'facts' | 'series'> &
  Pick<RoleResult, 'device' | 'energy' | 'perf' | 'clock' | 'series' | 'environment' | 'log' | 'failure'>;

/** Beside a process that carries load: facts about its device, the sampler, and progress with figures of both. */
export class LoadWatch {
  readonly facts: Facts = {};
  readonly #context: RunContext;
  readonly #progress = new ProgressSeries();
  #monitor: RoleMonitor | null = null;

  constructor(context: RunContext) {
    this.#context = context;
  }

  /** For the process: tells the server what it says, with what the device says meanwhile. */
  readonly onProgress: WorkerListeners['onProgress'] = (progress) => {
    this.#progress.add(progress);
    const { cpuPercent, deviceCpuPercent, residentBytes } = this.#monitor?.progress() ?? nothingYet;
    this.#context.events.onProgress({ ...progress, cpuPercent, deviceCpuPercent, residentBytes });
  };

  /** Looks at the idle device; resolves with the interface of the link. Throws RunFailure. */
  async prepare(
    { spec, clock, energySource }: Watched,
    capabilities: AgentCapabilities,
  ): Promise<NetworkInterface> {
    const { device, events } = this.#context;
    // Without it the traffic would take another way.
    const link = findLinkInterface(spec.link, capabilities.interfaces);
    Object.assign(this.facts, describeDevice(capabilities), describeLink(link), describeClock(clock));
    this.#monitor = new RoleMonitor({
      device,
      sampleHz: spec.sampleHz,
      clock,
      link,
      energySource,
      onTrouble: events.onTrouble,
    });
    await this.#monitor.prepare();
    return link;
  }

  /** As RoleMonitor has it. */
  start(at: StartLoad, pids: readonly number[], helpers: readonly number[] = []): void {
    this.#monitor?.start(at, pids, helpers);
  }

  /** Call it while the processes still live. Idempotent. */
  async stop(): Promise<void> {
    await this.#monitor?.stop();
  }

  /** The load's result with all that was found beside it. */
  async conclude({ facts, series = [], ...load }: LoadResult): Promise<WatchedResult> {
    const found = (await this.#monitor?.conclude(load.phases)) ?? nothingFound(load.phases);
    Object.assign(this.facts, facts, found.facts);
    return {
      ...load,
      device: '',
      clock: null,
      failure: null,
      phases: found.phases,
      energy: found.energy,
      perf: found.perf,
      series: [...this.#progress.results(), ...series, ...found.series],
      degraded: [...load.degraded, ...found.degraded],
      environment: this.facts,
      log: this.#context.log.lines(),
    };
  }
}
