import { setTimeout as wait } from 'node:timers/promises';
import { integrateEnergy, type Window } from '@mqttlab/shared/analysis/integrate-energy';
import type { EnergyCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { PhaseRecord, RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type {
  EnergyEnvironment,
  EnergySample,
  EnergySource,
  EnergySourceDefinition,
} from './energy-source.ts';
import { findEnergySource } from './energy-sources.ts';
import { addPhaseEnergy } from './phase-energy.ts';
import type { LinkMedium } from './power-model.ts';

/** Sensors that are quicker than this are still read no more often. */
const minIntervalMs = 100;
/** An idle device is looked at for so long: at least, and in samples. */
const baselineMs = 600;
const baselineSamples = 4;

export interface EnergyMeterOptions {
  environment: EnergyEnvironment;
  capability: EnergyCapability;
  /** Of the supply, V; null where nobody said. */
  supplyVolts: number | null;
  /** Of the battery that the device runs on; null where nobody said. */
  batteryMah: number | null;
  medium: LinkMedium | null;
}

export interface EnergyFindings {
  phases: PhaseRecord[];
  energy: RoleResult['energy'];
  series: Series[];
  degraded: RoleResult['degraded'];
}

/** The source asked for, or the best there is; null when the device does not have it. */
export function chooseEnergy(
  found: readonly EnergyCapability[],
  wanted: string | null,
): EnergyCapability | null {
  return wanted === null ? (found[0] ?? null) : (found.find(({ id }) => id === wanted) ?? null);
}

/** What one device draws during one Run. Nothing here rejects: trouble with a sensor degrades the Run. */
export class EnergyMeter {
  readonly #options: EnergyMeterOptions;
  readonly #definition: EnergySourceDefinition;
  readonly #source: EnergySource;
  readonly #intervalMs: number;
  readonly #samples: EnergySample[] = [];
  readonly #stopping = new AbortController();
  #reading: Promise<void> | null = null;
  #baselineW: number | null = null;
  /** On the local clock. */
  #baselineWindow: Window | null = null;
  #trouble: string | null = null;

  /** Throws RangeError when this agent does not know the source. */
  constructor(options: EnergyMeterOptions) {
    const definition = findEnergySource(options.capability.id);
    if (definition === undefined) throw new RangeError(`no energy source ${options.capability.id}`);
    this.#options = options;
    this.#definition = definition;
    this.#source = definition.make(options.environment);
    this.#intervalMs = Math.max(minIntervalMs, definition.minIntervalMs);
  }

  /** What is inside the figures. */
  get covers(): string {
    return this.#definition.covers;
  }

  /** Begins to read, and looks at the idle device first; an estimate knows what that draws and does not wait. */
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

  /** Idempotent, never rejects: the run keeps what was read until then. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    await this.#reading;
    // One more, so that the last phase lies between two samples.
    if (this.#reading !== null) await this.#take();
    await this.#source.stop().catch((error: unknown) => this.#noteTrouble(error));
  }

  /** `measureAtUs`: start of the measure phase on the testbed clock; null when the Run did not come so far. */
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

  /** Never rejects: nothing waits for the readings before the end of the run. */
  async #take(): Promise<void> {
    try {
      const sample = await this.#source.sample();
      if (sample.problem !== null) this.#noteTrouble(sample.problem.message);
      this.#samples.push(sample);
    } catch (error) {
      this.#noteTrouble(error);
    }
  }

  #noteTrouble(reason: unknown): void {
    this.#trouble ??= `${this.#definition.label}: ${reasonOf(reason)}`;
  }

  #series(measureAtUs: number): Series {
    const told = this.#samples.filter(({ powerW }) => powerW !== null);
    return {
      metric: 'energy.power',
      unit: 'W',
      timesMs: told.map(({ atUs }) => Math.round(atUs - measureAtUs) / 1_000),
      values: told.map(({ powerW }) => powerW),
    };
  }
}
