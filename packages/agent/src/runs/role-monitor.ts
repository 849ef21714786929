import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type {
  ClockOffset,
  PerfCounters,
  PhaseRecord,
  RoleFailure,
  RoleResult,
} from '@mqttlab/shared/domain/runs/role-result';
import type { StartLoad } from '@mqttlab/shared/messages/agent';
import { makeEnergyEnvironment } from '../energy/energy-environment.ts';
import { chooseEnergy, EnergyMeter } from '../energy/energy-meter.ts';
import { callAt } from '../pacing/clock.ts';
import { forgetPeak, readPeakBytes } from '../sampling/memory.ts';
import { PerfCounting, parsePerf } from '../sampling/perf-counters.ts';
import { readGroupProportionalBytes } from '../sampling/process-group.ts';
import { Sampler } from '../sampling/sampler.ts';
import { makeSlowCollectors } from '../sampling/slow-collectors.ts';
import { ThrottlingWatch } from '../sampling/throttling-watch.ts';
import { describeFrequency, describeTimeService, describeTraffic, type Facts } from './environment.ts';
import { LinkWatch } from './link-watch.ts';
import type { Device } from './role-run.ts';
import { makeRoleSampler, progressOf } from './role-sampler.ts';
import { RunFailure } from './run-failure.ts';

export interface RoleMonitorOptions {
  device: Pick<Device, 'clock' | 'procRoot' | 'sysRoot' | 'sensors'>;
  sampleHz: number;
  clock: ClockOffset;
  /** null when this device has no interface for the link. */
  link: NetworkInterface | null;
  /** Id of the energy source to use; null: the one chosen for this device, else the best there is. */
  energySource: string | null;
  /** The interface of the link went down. */
  onTrouble?: (failure: RoleFailure) => void;
}

/** What the device tells beside the load. */
export type MonitorFindings = Pick<RoleResult, 'phases' | 'series' | 'degraded' | 'energy' | 'perf'> & {
  facts: Facts;
};

/** Of a role that never came so far as to be watched. */
export function nothingFound(phases: readonly PhaseRecord[]): MonitorFindings {
  return { phases: [...phases], series: [], degraded: [], energy: null, perf: null, facts: {} };
}

export const nothingYet = progressOf(null);

/** Watches the device and the MQTT processes of one role through one Run. */
export class RoleMonitor {
  readonly #options: RoleMonitorOptions;
  readonly #facts: Facts = {};
  readonly #degraded: RoleResult['degraded'] = [];
  #energy: EnergyMeter | null = null;
  #samplers: Sampler[] = [];
  #throttling: ThrottlingWatch | null = null;
  #linkWatch: LinkWatch | null = null;
  #perf: PerfCounting | null = null;
  #cancels: (() => void)[] = [];
  #pids: readonly number[] = [];
  #stopped = false;
  #peakIsOfRun = false;
  #measureAtUs: number | null = null;
  #describeTraffic: () => Facts = () => ({});

  constructor(options: RoleMonitorOptions) {
    this.#options = options;
  }

  /** Looks at the idle device: call it before anything of the Run is started. Throws RunFailure. */
  async prepare(): Promise<void> {
    const { device, energySource, link } = this.#options;
    const { clock, procRoot, sysRoot, sensors } = device;
    const { power } = sensors;
    const wanted = energySource ?? power.energySource;
    const capability = chooseEnergy(power.found, wanted);
    if (capability === null) {
      if (wanted !== null) throw noSuchSource(wanted);
      return;
    }
    const interfaceNames = link === null ? [] : [link.name];
    const { meterUrl, supplyVolts, batteryMah } = power;
    this.#energy = new EnergyMeter({
      environment: makeEnergyEnvironment({ clock, procRoot, sysRoot, meterUrl, interfaceNames }),
      capability,
      supplyVolts,
      batteryMah,
      medium: link?.kind === 'wifi' || link?.kind === 'ethernet' ? link.kind : null,
    });
    this.#facts['energy.covers'] = this.#energy.covers;
    await this.#energy.start();
  }

  /** `pids`: the MQTT processes, the main one first; empty where they are not known. `helpers`: others of ours. */
  start(at: StartLoad, pids: readonly number[], helpers: readonly number[] = []): void {
    const { device, clock, link, sampleHz } = this.#options;
    const { procRoot, sysRoot, sensors } = device;
    this.#pids = pids;
    this.#measureAtUs = at.measureAtUs;
    this.#samplers = [
      makeRoleSampler({ device, sampleHz, pids, helpers, link, at, clock }),
      ...makeSlowCollectors({ procRoot, sysRoot, pids }).map(
        (slow) =>
          new Sampler({
            clock: device.clock,
            startAtUs: at.warmUpAtUs - clock.offsetUs,
            measureAtUs: at.measureAtUs - clock.offsetUs,
            ...slow,
          }),
      ),
    ];
    for (const sampler of this.#samplers) sampler.start();
    this.#watchLink();
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

  /** Reads no more; call it while the processes still live. Idempotent. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    const { procRoot, sysRoot } = this.#options.device;
    for (const sampler of this.#samplers) sampler.stop();
    this.#linkWatch?.stop();
    for (const cancel of this.#cancels.splice(0)) cancel();
    const [main] = this.#pids;
    Object.assign(this.#facts, describeFrequency(sysRoot), this.#describeTraffic(), {
      'memory.proportionalBytes': readGroupProportionalBytes(procRoot, this.#pids),
      'memory.peakBytes': main === undefined || !this.#peakIsOfRun ? null : readPeakBytes(procRoot, main),
      'sampler.missed': this.#samplers[0]?.missed ?? 0,
    });
    await this.#throttling?.stop();
  }

  /** What was found, with energy written into the phases. Nothing is watched any more. Never rejects. */
  async conclude(phases: readonly PhaseRecord[]): Promise<MonitorFindings> {
    await this.stop();
    await this.#energy?.stop();
    const perf = await this.#readPerf();
    const { offsetUs } = this.#options.clock;
    const measureAtUs = this.#measureAtUs;
    const energy = this.#energy?.findings(phases, { offsetUs, measureAtUs }) ?? null;
    const sampled = this.#samplers.map((sampler) => sampler.results());
    const trouble = this.#throttling?.trouble ?? null;
    return {
      phases: energy?.phases ?? [...phases],
      energy: energy?.energy ?? null,
      perf,
      series: [...sampled.flatMap(({ series }) => series), ...(energy?.series ?? [])],
      degraded: [
        ...this.#degraded,
        ...sampled.flatMap(({ degraded }) => degraded),
        ...(energy?.degraded ?? []),
        ...(trouble === null ? [] : [{ collector: 'throttling', reason: trouble }]),
      ],
      facts: {
        ...this.#facts,
        ...describeTimeService(this.#options.device.sensors.timeService()),
        ...(this.#throttling?.facts() ?? { 'throttling.source': null }),
      },
    };
  }

  #watchLink(): void {
    const { device, link, onTrouble } = this.#options;
    if (link === null || link.kind === 'loopback' || onTrouble === undefined) return;
    this.#linkWatch = new LinkWatch({ sysRoot: device.sysRoot, name: link.name, onDown: onTrouble });
    this.#linkWatch.start();
  }

  #watchProcesses(at: StartLoad, pids: readonly number[]): void {
    const { device, clock } = this.#options;
    const { procRoot, sensors } = device;
    // Of several processes the peaks do not come at once: no figure rather than a wrong one.
    this.#peakIsOfRun = pids.length === 1 && forgetPeak(procRoot, pids[0] ?? 0);
    if (sensors.perfRefusal !== null) return;
    const perf = new PerfCounting(pids);
    this.#perf = perf;
    this.#cancels = [
      callAt(device.clock, at.measureAtUs - clock.offsetUs, () => perf.enable()),
      callAt(device.clock, at.stopAtUs - clock.offsetUs, () => perf.disable()),
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

function noSuchSource(id: string): RunFailure {
  return new RunFailure({
    code: 'no-energy-source',
    message: `This device has no energy source "${id}".`,
    remedy:
      'Choose another one on the page of this device, connect the sensor, or correct the address of its meter.',
  });
}
