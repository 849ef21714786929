import { setTimeout as wait } from 'node:timers/promises';
import { integrateEnergy, type Window } from '@mqttlab/shared/analysis/integrate-energy';
import type { EnergyCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { PhaseRecord, RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { MakeInstrument } from '../instrument.ts';
import {
  type EnergyEnvironment,
  type EnergySample,
  type EnergySource,
  type EnergySourceDefinition,
  estimatePowerW,
  type LinkMedium,
  type PowerModel,
} from './energy-source.ts';
import { findEnergySource, makeEnergyEnvironment } from './energy-sources.ts';

/** Minimum interval between readings, which also applies to faster sensors. */
const minIntervalMs = 100;
/** Minimum observation time of the idle device, in ms and in samples. */
const baselineMs = 600;
const baselineSamples = 4;

interface EnergyMeterOptions {
  environment: EnergyEnvironment;
  capability: EnergyCapability;
  /** Supply voltage in V; null if unknown. */
  supplyVolts: number | null;
  /** Capacity of the device's battery; null if unknown. */
  batteryMah: number | null;
  medium: LinkMedium | null;
}

interface EnergyFindings {
  phases: PhaseRecord[];
  energy: RoleResult['energy'];
  series: Series[];
  degraded: RoleResult['degraded'];
}

/** Energy used by the device in each phase, and power as a series. */
export const energy: MakeInstrument = ({ device, link, energySource, clock: { offsetUs } }) => {
  const { clock, procRoot, sysRoot, sensors } = device;
  const { found, meterUrl, supplyVolts, batteryMah } = sensors.power;
  const wanted = energySource ?? sensors.power.energySource;
  const capability = chooseEnergy(found, wanted);
  if (capability === null) {
    if (wanted !== null) throw noSuchSource(wanted);
    return null;
  }
  const interfaceNames = [link.name];
  const meter = new EnergyMeter({
    environment: makeEnergyEnvironment({ clock, procRoot, sysRoot, meterUrl, interfaceNames }),
    capability,
    supplyVolts,
    batteryMah,
    medium: link.kind === 'wifi' || link.kind === 'ethernet' ? link.kind : null,
  });
  let measureAtUs: number | null = null;
  return {
    name: 'energy',
    prepare: () => meter.start(),
    start: (at) => {
      measureAtUs = at.measureAtUs;
    },
    contribute: async (phases) => {
      await meter.stop();
      const environment = { 'energy.covers': meter.covers };
      return { environment, ...meter.findings(phases, { offsetUs, measureAtUs }) };
    },
  };
};

function noSuchSource(id: string): Failure {
  return new Failure({
    code: 'no-energy-source',
    message: `This device has no energy source "${id}".`,
    remedy: "Choose another source on this device's page, connect the sensor, or correct the meter address.",
  });
}

/** Returns the requested source, or the best available source; null if the device does not have it. */
export function chooseEnergy(
  found: readonly EnergyCapability[],
  wanted: string | null,
): EnergyCapability | null {
  return wanted === null ? (found[0] ?? null) : (found.find(({ id }) => id === wanted) ?? null);
}

/**
 * Measures the power draw of one device during one run. No method rejects, because a sensor failure only
 * degrades the run.
 */
export class EnergyMeter {
  readonly #options: EnergyMeterOptions;
  readonly #definition: EnergySourceDefinition;
  readonly #source: EnergySource;
  readonly #intervalMs: number;
  readonly #samples: EnergySample[] = [];
  readonly #stopping = new AbortController();
  #reading: Promise<void> | null = null;
  #baselineW: number | null = null;
  /** Bounds on the local clock, in µs. */
  #baselineWindow: Window | null = null;
  #trouble: string | null = null;

  /** Throws RangeError if this agent does not have the source. */
  constructor(options: EnergyMeterOptions) {
    const definition = findEnergySource(options.capability.id);
    if (definition === undefined) throw new RangeError(`there is no energy source ${options.capability.id}`);
    this.#options = options;
    this.#definition = definition;
    this.#source = definition.make(options.environment);
    this.#intervalMs = Math.max(minIntervalMs, definition.minIntervalMs);
  }

  /** Components included in the measured values. */
  get covers(): string {
    return this.#definition.covers;
  }

  /**
   * Starts reading, beginning with the idle device. An estimate already includes the idle power and does not
   * wait.
   */
  async start(): Promise<void> {
    if (this.#reading !== null) return;
    await this.#source.start();
    this.#reading = this.#read();
    const { model } = this.#definition;
    if (model !== null) {
      this.#baselineW = model.idleW;
      return;
    }
    const { clock } = this.#options.environment;
    const fromUs = clock.nowUs();
    await wait(Math.max(baselineMs, baselineSamples * this.#intervalMs));
    const idle = this.#samples.filter(({ atUs }) => atUs >= fromUs);
    const [first, last] = [idle[0], idle.at(-1)];
    if (first === undefined || last === undefined) return;
    const window = { fromUs: first.atUs, toUs: last.atUs };
    const integrated = integrateEnergy(idle, window, baselineSamples * this.#intervalMs * 1_000);
    if (!('energy' in integrated)) return;
    this.#baselineW = integrated.energy.meanPowerW;
    this.#baselineWindow = window;
  }

  /** Idempotent, never rejects: the run keeps the samples taken so far. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    await this.#reading;
    // Takes one more sample, so that the last phase is between two samples.
    if (this.#reading !== null) await this.#take();
    await this.#source.stop().catch((error: unknown) => this.#noteFailure(error));
  }

  /**
   * `measureAtUs` is the start of the measure phase on the testbed clock; null if the run did not reach it.
   */
  findings(
    phases: readonly PhaseRecord[],
    { offsetUs, measureAtUs }: { offsetUs: number; measureAtUs: number | null },
  ): EnergyFindings {
    const { capability, supplyVolts, batteryMah, medium } = this.#options;
    const { model } = this.#definition;
    const records = addPhaseEnergy(phases, this.#samples, {
      offsetUs,
      model,
      medium,
      intervalMs: this.#intervalMs,
    });
    const { id, quality, detail } = capability;
    const idle = this.#baselineWindow;
    const sinceMeasure = (atUs: number, fromUs: number) => Math.round(atUs + offsetUs - fromUs) / 1_000;
    return {
      phases: records,
      energy: {
        source: id,
        quality,
        detail,
        baselineW: this.#baselineW,
        voltageV: supplyVolts,
        batteryMah,
        ...(idle !== null &&
          measureAtUs !== null && {
            baselineWindow: {
              fromMs: sinceMeasure(idle.fromUs, measureAtUs),
              toMs: sinceMeasure(idle.toUs, measureAtUs),
            },
          }),
        measureJ: records.find(({ phase }) => phase === 'measure')?.energyJ ?? null,
      },
      series: measureAtUs === null ? [] : [this.#series(measureAtUs - offsetUs)],
      degraded: this.#trouble === null ? [] : [{ collector: 'energy', reason: this.#trouble }],
    };
  }

  async #read(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const begunAt = performance.now();
      await this.#take();
      const restMs = this.#intervalMs - (performance.now() - begunAt);
      await wait(Math.max(1, restMs), undefined, { signal }).catch(() => {});
    }
  }

  /** Never rejects, because the readings are not awaited before the end of the run. */
  async #take(): Promise<void> {
    try {
      const sample = await this.#source.sample();
      if (sample.problem !== null) this.#noteFailure(sample.problem.message);
      this.#samples.push(sample);
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  #noteFailure(reason: unknown): void {
    this.#trouble ??= `${this.#definition.label}: ${reasonOf(reason)}`;
  }

  #series(measureAtUs: number): Series {
    const known = this.#samples.filter(({ powerW }) => powerW !== null);
    return {
      metric: 'energy.power',
      unit: 'W',
      timesMs: known.map(({ atUs }) => Math.round(atUs - measureAtUs) / 1_000),
      values: known.map(({ powerW }) => powerW),
    };
  }
}

interface PhaseEnergyOptions {
  /** Testbed clock minus the clock of the samples, in µs. */
  offsetUs: number;
  /** Interval between samples, in ms. */
  intervalMs: number;
  /** Coefficients of an estimated source; null if a sensor provided the samples. */
  model: PowerModel | null;
  /** Work of the processes and interfaces under load. */
  medium: LinkMedium | null;
}

/** Minimum length of a phase in sample intervals, so that the phase includes more than one sample. */
const minIntervals = 2;
/** Maximum number of consecutive missing samples. */
const maxMissing = 5;
const minGapMs = 2_000;

/**
 * Returns the phases with the energy that the device used in each. A sensor gives no value for a phase that
 * is too short; an estimate is calculated from the process activity in that phase.
 */
function addPhaseEnergy(
  phases: readonly PhaseRecord[],
  samples: readonly EnergySample[],
  options: PhaseEnergyOptions,
): PhaseRecord[] {
  return phases.map((record) => ({ ...record, energyJ: energyOf(record, samples, options) }));
}

function energyOf(
  record: PhaseRecord,
  samples: readonly EnergySample[],
  { offsetUs, intervalMs, model, medium }: PhaseEnergyOptions,
): number | null {
  if (record.durationUs < minIntervals * intervalMs * 1_000) {
    return model === null ? null : estimateShort(record, model, medium);
  }
  const fromUs = record.startUs - offsetUs;
  const longestGapUs = Math.max(minGapMs, maxMissing * intervalMs) * 1_000;
  const integrated = integrateEnergy(samples, { fromUs, toUs: fromUs + record.durationUs }, longestGapUs);
  return 'energy' in integrated ? integrated.energy.energyJ : null;
}

function estimateShort(
  { durationUs, cpuUs, bytesSent, bytesReceived, connections }: PhaseRecord,
  model: PowerModel,
  medium: LinkMedium | null,
): number | null {
  if (cpuUs === null || !(durationUs > 0)) return null;
  // Duration is the mean over connections; CPU time and bytes are totals.
  const share = Math.max(1, connections) * durationUs;
  const mbit = (((bytesSent ?? 0) + (bytesReceived ?? 0)) * 8) / share;
  const mbitPerSecond = { wifi: 0, ethernet: 0, ...(medium === null ? {} : { [medium]: mbit }) };
  return estimatePowerW(model, { busyCores: cpuUs / share, mbitPerSecond }) * (durationUs / 1e6);
}
