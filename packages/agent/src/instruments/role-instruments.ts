import type { AgentCapabilities, NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type { PrepareClient, Progress, StartLoad } from '@mqttlab/shared/messages/agent';
import type { LoadProgress, LoadResult } from '../load/worker-messages.ts';
import { findLinkInterface } from '../processes/network.ts';
import { packetCapture } from './capture/packet-capture.ts';
import { deviceCpu, processCpu } from './cpu.ts';
import { energy } from './energy/energy-meter.ts';
import { environment } from './environment.ts';
import {
  type Contribution,
  type Instrument,
  type MakeInstrument,
  type MeasuredProcesses,
  type MeasuredRole,
  mergeParts,
  type SampleRate,
} from './instrument.ts';
import { memory } from './memory.ts';
import { linkWatch, network } from './network.ts';
import { perfCounters } from './perf-counters.ts';
import { radio } from './radio.ts';
import { type Collector, Sampler } from './sampler.ts';
import { temperature, throttling } from './thermal.ts';

/** Every instrument, in the order of their series in a result. */
export const instruments: readonly MakeInstrument[] = [
  environment,
  processCpu,
  memory,
  deviceCpu,
  network,
  temperature,
  radio,
  energy,
  perfCounters,
  throttling,
  linkWatch,
  packetCapture,
];

interface RoleInstrumentsContext extends Pick<MeasuredRole, 'device' | 'filesFolder'> {
  log: { milestone(source: string, text: string): void };
  events: { onProgress(progress: Progress): void; onFailure: MeasuredRole['onFailure'] };
}

/** Sampling rates in Hz: slow or expensive metrics are sampled less often than the load. */
const slowHz = 1;
const rareHz = 0.2;

/** Runs every instrument for one role through one run, in parallel with the load. */
export class RoleInstruments {
  /** Facts for the environment in the result, to which the role adds its own. */
  readonly facts: RoleResult['environment'] = {};
  readonly #context: RoleInstrumentsContext;
  readonly #command: Pick<PrepareClient, 'spec' | 'clock' | 'energySource'>;
  readonly #reported = new ProgressSeries();
  readonly #instruments: Instrument[] = [];
  readonly #degraded: RoleResult['degraded'] = [];
  #samplers: readonly Sampler[] = [];
  #stopped = false;

  constructor(
    context: RoleInstrumentsContext,
    command: Pick<PrepareClient, 'spec' | 'clock' | 'energySource'>,
  ) {
    this.#context = context;
    this.#command = command;
  }

  /** Adds the device's measurements to a load process's progress, and sends it to the server. */
  readonly onProgress = (progress: LoadProgress): void => {
    this.#reported.add(progress);
    const { cpuPercent, deviceCpuPercent, residentBytes } = this.progress();
    this.#context.events.onProgress({ ...progress, cpuPercent, deviceCpuPercent, residentBytes });
  };

  /**
   * Prepares the instruments and returns the link's interface. Call this while the device is idle. Throws
   * Failure.
   */
  async prepare(capabilities: AgentCapabilities): Promise<NetworkInterface> {
    const { device, filesFolder, log, events } = this.#context;
    // Without this interface, the traffic would use another route.
    const link = findLinkInterface(this.#command.spec.link, capabilities.interfaces);
    const role: MeasuredRole = {
      ...this.#command,
      device,
      capabilities,
      link,
      filesFolder,
      milestone: (text) => log.milestone('agent', text),
      onFailure: events.onFailure,
    };
    for (const make of instruments) {
      const instrument = this.#stopped ? null : make(role);
      if (instrument === null) continue;
      this.#instruments.push(instrument);
      await instrument.prepare?.();
    }
    return link;
  }

  /** Called when the broker of this role listens on `port` and no client is connected yet. Never rejects. */
  async listen(port: number): Promise<void> {
    for (const instrument of this.#instruments) {
      await this.#attempt(instrument.name, () => instrument.listen?.(port));
    }
  }

  start(at: StartLoad, processes: MeasuredProcesses): void {
    this.#samplers = makeSamplers(this.#instruments, processes, {
      clock: this.#context.device.clock,
      sampleHz: this.#command.spec.sampleHz,
      startAtUs: at.warmUpAtUs - this.#command.clock.offsetUs,
      measureAtUs: at.measureAtUs - this.#command.clock.offsetUs,
    });
    for (const sampler of this.#samplers) sampler.start();
    for (const instrument of this.#instruments) instrument.start?.(at, processes);
  }

  /** Returns the part of a progress frame that is measured on the device. */
  progress() {
    const [sampler] = this.#samplers;
    const rates = [sampler?.latest('network.rx') ?? null, sampler?.latest('network.tx') ?? null];
    return {
      cpuPercent: sampler?.latest('cpu.process') ?? null,
      deviceCpuPercent: sampler?.latest('cpu.device') ?? null,
      residentBytes: sampler?.latest('memory.resident') ?? null,
      wireBytesPerSecond: rates.every((rate) => rate !== null) ? rates.reduce((a, b) => a + b, 0) : null,
    };
  }

  /**
   * Call this when the role's load has ended: a run shorter than the sampling interval then gets its only
   * sample.
   */
  loadEnded(): void {
    // Applies only to the sampler at the trial's rate: the others are expensive to read, and nothing needs
    // them here.
    this.#samplers[0]?.sampleShortLoad();
  }

  /** Stops sampling; call this while the processes are still running. Idempotent, never rejects. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    if (this.#instruments.length === 0) return;
    await this.#attempt('device', () => {
      for (const sampler of this.#samplers) sampler.stop();
      this.facts['sampler.missed'] = this.#samplers[0]?.missed ?? 0;
    });
    for (const instrument of this.#instruments) {
      await this.#attempt(instrument.name, () => instrument.stop?.());
    }
  }

  /** Adds the results of the load and of every instrument to `result`. Never rejects. */
  async conclude(result: RoleResult, { facts, ...load }: LoadResult): Promise<RoleResult> {
    await this.stop();
    const parts: Contribution[] = [];
    for (const instrument of this.#instruments) {
      const part = await this.#attempt(instrument.name, () => instrument.contribute?.(load.phases));
      if (part) parts.push(part);
    }
    return mergeParts(
      result,
      { series: this.#reported.results() },
      load,
      { degraded: this.#degraded },
      ...this.#samplers.map((sampler) => sampler.results()),
      ...parts,
      { environment: { ...this.facts, ...facts } },
    );
  }

  /** Reports a failed instrument as degraded; the rest of the result remains valid. */
  async #attempt<T>(collector: string, work: () => T | Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#degraded.push({ collector, reason: reasonOf(error) });
      return null;
    }
  }
}

/** Returns one sampler for each rate that has collectors, with the trial's rate first. */
export function makeSamplers(
  from: readonly Instrument[],
  processes: MeasuredProcesses,
  options: Omit<ConstructorParameters<typeof Sampler>[0], 'collectors'>,
): Sampler[] {
  const found = from.flatMap((instrument) => instrument.collectors?.(processes) ?? []);
  const rates: readonly (readonly [SampleRate, number])[] = [
    ['trial', options.sampleHz],
    ['slow', slowHz],
    ['rare', rareHz],
  ];
  return rates.flatMap(([name, sampleHz]) => {
    const collectors = found
      .filter(([rate]) => rate === name)
      .map(([, collector]) => collector)
      .filter((collector): collector is Collector => collector !== null);
    return collectors.length === 0 ? [] : [new Sampler({ ...options, sampleHz, collectors })];
  });
}

type Reported = Pick<Progress, 'atMs' | 'latencyMs' | 'messagesPerSecond' | 'wireBytesPerSecond'>;

/** Values in a progress frame that are stored as series: [name, unit, value]. */
const progressSeries: readonly [string, string, (progress: Reported) => number | null][] = [
  ['latency.p5', 'ms', ({ latencyMs }) => latencyMs?.p5 ?? null],
  ['latency.p50', 'ms', ({ latencyMs }) => latencyMs?.p50 ?? null],
  ['latency.p95', 'ms', ({ latencyMs }) => latencyMs?.p95 ?? null],
  ['messages.rate', 'msg/s', ({ messagesPerSecond }) => messagesPerSecond],
  ['wire.rate', 'B/s', ({ wireBytesPerSecond }) => wireBytesPerSecond],
];

/** Stores the load's values for each second, so that the result matches the live view. */
export class ProgressSeries {
  readonly #reported: Reported[] = [];

  add(progress: Reported): void {
    this.#reported.push(progress);
  }

  /** Returns the series; omits series without values. */
  results(): Series[] {
    return progressSeries.flatMap(([metric, unit, pick]) => {
      const values = this.#reported.map(pick);
      if (values.every((value) => value === null)) return [];
      return [{ metric, unit, timesMs: this.#reported.map(({ atMs }) => atMs), values }];
    });
  }
}
