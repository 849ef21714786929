import type { AgentCapabilities, NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { PerfCounters, PhaseRecord, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { findLinkInterface } from '../capabilities/network-interfaces.ts';
import { runCommand } from '../children/programs.ts';
import { chooseEnergy, EnergyMeter } from '../energy/energy-meter.ts';
import { makeEnergyEnvironment } from '../energy/energy-sources.ts';
import type { WorkerListeners } from '../load-process/load-worker-process.ts';
import type { LoadResult } from '../load-process/worker-messages.ts';
import { callAt } from '../pacing/clock.ts';
import { forgetPeak, readPeakBytes, readProportionalBytes } from '../sampling/memory.ts';
import { PerfCounting, parsePerf } from '../sampling/perf-counters.ts';
import { RadioWatch } from '../sampling/radio.ts';
import { makeRoleSamplers, progressOf } from '../sampling/role-sampler.ts';
import type { Sampler } from '../sampling/sampler.ts';
import { ThrottlingWatch } from '../sampling/throttling.ts';
import {
  describeClock,
  describeDevice,
  describeFrequency,
  describeLink,
  describeTimeService,
  describeTraffic,
  type Facts,
} from './environment.ts';
import { LinkWatch } from './link-watch.ts';
import { ProgressSeries } from './load-result.ts';
import type { RunContext } from './role-run.ts';

/** What stands in every result, whatever the role. */
type WatchedResult = Omit<LoadResult, 'facts' | 'series' | 'upstream' | 'bridge'> &
  Pick<
    RoleResult,
    'device' | 'energy' | 'perf' | 'clock' | 'radio' | 'series' | 'environment' | 'log' | 'failure'
  >;

/** Watches the device and the MQTT processes of one role through one Run, beside whatever carries the load. */
export class RoleWatch {
  /** For the environment of the result; the role adds its own. */
  readonly facts: Facts = {};
  readonly #context: RunContext;
  readonly #command: Pick<PrepareClient, 'spec' | 'clock' | 'energySource'>;
  readonly #told = new ProgressSeries();
  readonly #degraded: RoleResult['degraded'] = [];
  #link: NetworkInterface | null = null;
  #energy: EnergyMeter | null = null;
  #samplers: Sampler[] = [];
  #throttling: ThrottlingWatch | null = null;
  #linkWatch: LinkWatch | null = null;
  #perf: PerfCounting | null = null;
  #radio: RadioWatch | null = null;
  #cancels: (() => void)[] = [];
  #pids: readonly number[] = [];
  #stopped = false;
  #peakIsOfRun = false;
  #measureAtUs: number | null = null;
  #describeTraffic: () => Facts = () => ({});

  constructor(context: RunContext, command: Pick<PrepareClient, 'spec' | 'clock' | 'energySource'>) {
    this.#context = context;
    this.#command = command;
  }

  /** For a load process: tells the server what it says, with what the device says meanwhile. */
  readonly onProgress: WorkerListeners['onProgress'] = (progress) => {
    this.#told.add(progress);
    const { cpuPercent, deviceCpuPercent, residentBytes } = this.progress();
    this.#context.events.onProgress({ ...progress, cpuPercent, deviceCpuPercent, residentBytes });
  };

  /**
   * Looks at the idle device: call it before anything of the Run is started. Resolves with the interface of the link;
   * throws Failure.
   */
  async prepare(capabilities: AgentCapabilities): Promise<NetworkInterface> {
    const { spec, clock } = this.#command;
    // Without it the traffic would take another way.
    const link = findLinkInterface(spec.link, capabilities.interfaces);
    this.#link = link;
    Object.assign(this.facts, describeDevice(capabilities), describeLink(link), describeClock(clock));
    if (link.kind === 'wifi') {
      this.#radio = new RadioWatch(link.name, this.#context.device.procRoot, runCommand);
      await this.#radio.start();
    }
    this.#energy = this.#makeEnergyMeter(link);
    if (this.#energy === null) return link;
    this.facts['energy.covers'] = this.#energy.covers;
    await this.#energy.start();
    return link;
  }

  /** `pids`: the MQTT processes, the main one first; empty where they are not known. `helpers`: others of ours. */
  start(at: StartLoad, pids: readonly number[], helpers: readonly number[] = []): void {
    const { device, events } = this.#context;
    const { clock, spec } = this.#command;
    const { sysRoot, sensors } = device;
    const link = this.#link;
    this.#pids = pids;
    this.#measureAtUs = at.measureAtUs;
    this.#samplers = makeRoleSamplers({ device, sampleHz: spec.sampleHz, pids, helpers, link, at, clock });
    for (const sampler of this.#samplers) sampler.start();
    if (link !== null && link.kind !== 'loopback') {
      this.#linkWatch = new LinkWatch({ sysRoot, name: link.name, onDown: events.onTrouble });
      this.#linkWatch.start();
    }
    if (sensors.throttling !== null) {
      this.#throttling = new ThrottlingWatch(sensors.throttling);
      this.#throttling.start();
    }
    this.#describeTraffic = describeTraffic(sysRoot);
    if (pids.length > 0) this.#watchProcesses(at, pids);
  }

  progress(): ReturnType<typeof progressOf> {
    return progressOf(this.#samplers[0] ?? null);
  }

  /** Reads no more; call it while the processes still live. Idempotent, never rejects. */
  async stop(): Promise<void> {
    if (this.#stopped || this.#link === null) return;
    this.#stopped = true;
    const { procRoot, sysRoot } = this.#context.device;
    this.#linkWatch?.stop();
    for (const cancel of this.#cancels.splice(0)) cancel();
    const [main] = this.#pids;
    await this.#attempt('device', () => {
      for (const sampler of this.#samplers) sampler.stop();
      Object.assign(this.facts, describeFrequency(sysRoot), this.#describeTraffic(), {
        'memory.proportionalBytes': readProportionalBytes(procRoot, this.#pids),
        'memory.peakBytes': main === undefined || !this.#peakIsOfRun ? null : readPeakBytes(procRoot, main),
        'sampler.missed': this.#samplers[0]?.missed ?? 0,
      });
    });
    await this.#attempt('throttling', () => this.#throttling?.stop());
  }

  /** What fails beside the load is missing in the result, which is not lost for it. */
  async #attempt<T>(collector: string, work: () => T | Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#degraded.push({ collector, reason: reasonOf(error) });
      return null;
    }
  }

  /** The load's result with all that was found beside it, energy in its phases. Never rejects. */
  async conclude({ facts, series = [], ...load }: LoadResult): Promise<WatchedResult> {
    const radio = await this.#attempt('radio', () => this.#radio?.finish() ?? null);
    const found = await this.#find(load.phases);
    Object.assign(this.facts, facts, this.#link === null ? {} : this.#lateFacts());
    return {
      ...load,
      ...found,
      ...(radio ? { radio } : {}),
      device: '',
      clock: null,
      failure: null,
      series: [...this.#told.results(), ...series, ...found.series],
      degraded: [...load.degraded, ...found.degraded],
      environment: this.facts,
      log: this.#context.log.lines(),
    };
  }

  /** Nothing is watched any more. */
  async #find(
    phases: PhaseRecord[],
  ): Promise<Pick<RoleResult, 'phases' | 'series' | 'degraded' | 'energy' | 'perf'>> {
    await this.stop();
    await this.#energy?.stop();
    const perf = await this.#attempt('perf', () => this.#readPerf());
    const { offsetUs } = this.#command.clock;
    const energy = this.#energy?.findings(phases, { offsetUs, measureAtUs: this.#measureAtUs }) ?? null;
    const sampled = this.#samplers.map((sampler) => sampler.results());
    const trouble = this.#throttling?.trouble ?? null;
    return {
      phases: energy?.phases ?? phases,
      energy: energy?.energy ?? null,
      perf,
      series: [...sampled.flatMap(({ series }) => series), ...(energy?.series ?? [])],
      degraded: [
        ...this.#degraded,
        ...sampled.flatMap(({ degraded }) => degraded),
        ...(energy?.degraded ?? []),
        ...(trouble === null ? [] : [{ collector: 'throttling', reason: trouble }]),
      ],
    };
  }

  #lateFacts(): Facts {
    return {
      ...describeTimeService(this.#context.device.sensors.timeService()),
      ...(this.#throttling?.facts() ?? { 'throttling.source': null }),
    };
  }

  /** null where the device has no source and none was asked for. */
  #makeEnergyMeter(link: NetworkInterface): EnergyMeter | null {
    const { clock, procRoot, sysRoot, sensors } = this.#context.device;
    const { found, energySource, meterUrl, supplyVolts, batteryMah } = sensors.power;
    const wanted = this.#command.energySource ?? energySource;
    const capability = chooseEnergy(found, wanted);
    if (capability === null) {
      if (wanted !== null) throw noSuchSource(wanted);
      return null;
    }
    const interfaceNames = [link.name];
    return new EnergyMeter({
      environment: makeEnergyEnvironment({ clock, procRoot, sysRoot, meterUrl, interfaceNames }),
      capability,
      supplyVolts,
      batteryMah,
      medium: link.kind === 'wifi' || link.kind === 'ethernet' ? link.kind : null,
    });
  }

  #watchProcesses(at: StartLoad, pids: readonly number[]): void {
    const { clock, procRoot, sensors, records } = this.#context.device;
    const { offsetUs } = this.#command.clock;
    // Of several processes the peaks do not come at once: no figure rather than a wrong one.
    this.#peakIsOfRun = pids.length === 1 && forgetPeak(procRoot, pids[0] ?? 0);
    if (sensors.perfRefusal !== null) return;
    const perf = new PerfCounting({ pids, records });
    this.#perf = perf;
    this.#cancels = [
      callAt(clock, at.measureAtUs - offsetUs, () => perf.enable()),
      callAt(clock, at.stopAtUs - offsetUs, () => perf.disable()),
    ];
  }

  async #readPerf(): Promise<PerfCounters | null> {
    const outcome = await this.#perf?.finish();
    this.#perf = null;
    if (outcome === undefined) return null;
    if ('text' in outcome) return parsePerf(outcome.text);
    this.#degraded.push({ collector: 'perf', reason: outcome.reason });
    return null;
  }
}

function noSuchSource(id: string): Failure {
  return new Failure({
    code: 'no-energy-source',
    message: `This device has no energy source "${id}".`,
    remedy:
      'Choose another one on the page of this device, connect the sensor, or correct the address of its meter.',
  });
}
