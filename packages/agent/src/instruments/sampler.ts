import { closeSync, openSync, readSync } from 'node:fs';
import type { RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { type Clock, callAt } from '../load/pacing/clock.ts';

interface SamplerOptions {
  clock: Clock;
  sampleHz: number;
  collectors: readonly Collector[];
  /** Start of the measure phase on this device's clock, in µs. This is time 0 of the series. */
  measureAtUs: number;
  /** Start of sampling in µs, which is before the measure phase if there is a warm-up. */
  startAtUs: number;
}

interface Column {
  collector: Collector;
  series: Series[];
  failed: boolean;
}

/**
 * Shortest interval of a sample, in µs: in a shorter interval, /proc/stat may not have counted a clock tick.
 */
const shortestUs = 20_000;

/**
 * Reads all collectors at absolute due times, so that one late reading does not shift the next ones. A value
 * covers the time since the previous reading. A failed collector is omitted with its reason; the others
 * continue.
 */
export class Sampler {
  readonly #options: SamplerOptions;
  readonly #columns: Column[];
  readonly #degraded: RoleResult['degraded'] = [];
  readonly #periodUs: number;
  readonly #latest = new Map<string, number | null>();
  #cancel: (() => void) | null = null;
  #dueUs = 0;
  /** Previous reading: the first reading gives no sample. */
  #readAtUs = Number.POSITIVE_INFINITY;
  #missed = 0;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#periodUs = 1e6 / options.sampleHz;
    this.#columns = options.collectors.map((collector) => ({
      collector,
      failed: false,
      series: collector.metrics.map((metric) => ({ ...metric, timesMs: [], values: [] })),
    }));
  }

  /** Number of due times that passed without a reading because this process was delayed. */
  get missed(): number {
    return this.#missed;
  }

  start(): void {
    if (this.#cancel !== null) return;
    this.#cancel = callAt(this.#options.clock, this.#options.startAtUs, () => {
      const nowUs = this.#options.clock.nowUs();
      this.#readAtUs = nowUs;
      for (const column of this.#columns) this.#read(column, nowUs);
      this.#dueUs = this.#nextDueUs(nowUs);
      this.#wait();
    });
  }

  /**
   * Takes a sample now if the measure phase has none yet. In this case, a load shorter than the sampling
   * interval has ended, and the next sample on the grid would include later work.
   */
  sampleShortLoad(): void {
    const nowUs = this.#options.clock.nowUs();
    const lastMs = this.#columns[0]?.series[0]?.timesMs.at(-1) ?? 0;
    const isFirst = lastMs <= 0 && nowUs > this.#options.measureAtUs;
    if (isFirst && nowUs - this.#readAtUs >= shortestUs) this.#take(nowUs);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = () => {};
    for (const { collector } of this.#columns) collector.close();
  }

  /** Returns the latest value of a metric; null before the first value. */
  latest(metric: string): number | null {
    return this.#latest.get(metric) ?? null;
  }

  results(): Pick<RoleResult, 'series' | 'degraded'> {
    return { series: this.#columns.flatMap(({ series }) => series), degraded: this.#degraded };
  }

  #wait(): void {
    this.#cancel = callAt(this.#options.clock, this.#dueUs, () => this.#sample());
  }

  #sample(): void {
    const nowUs = this.#options.clock.nowUs();
    this.#take(nowUs);
    const dueUs = this.#nextDueUs(nowUs);
    this.#missed += Math.round((dueUs - this.#dueUs) / this.#periodUs) - 1;
    this.#dueUs = dueUs;
    this.#wait();
  }

  #take(nowUs: number): void {
    this.#readAtUs = nowUs;
    const timeMs = Math.round(nowUs - this.#options.measureAtUs) / 1_000;
    for (const column of this.#columns) {
      const values = this.#read(column, nowUs);
      column.series.forEach((series, index) => {
        const value = values?.[index] ?? null;
        series.timesMs.push(timeMs);
        series.values.push(value);
        this.#latest.set(series.metric, value);
      });
    }
  }

  /**
   * Returns the next point on the grid through the start of the measure phase; a point just ahead counts as
   * current.
   */
  #nextDueUs(nowUs: number): number {
    const { measureAtUs } = this.#options;
    const passed = Math.floor((nowUs - measureAtUs) / this.#periodUs + 0.2);
    return measureAtUs + (passed + 1) * this.#periodUs;
  }

  /** Returns null if the collector has failed. */
  #read(column: Column, nowUs: number): readonly (number | null)[] | null {
    if (column.failed) return null;
    try {
      return column.collector.read(nowUs);
    } catch (error) {
      column.failed = true;
      this.#degraded.push({ collector: column.collector.name, reason: reasonOf(error) });
      return null;
    }
  }
}

/** Reads one or more metrics at one instant. */
export interface Collector {
  /** Name under `degraded`. */
  readonly name: string;
  readonly metrics: readonly { metric: string; unit: string }[];
  /**
   * Returns one value for each metric at `nowUs` (monotonic µs), or null without an earlier reading to
   * compare with. If it throws, the collector is omitted for the rest of the run.
   */
  read(nowUs: number): readonly (number | null)[];
  close(): void;
}

/** Makes a collector for a single metric with its name. */
export function makeCollector(
  metric: string,
  unit: string,
  { read, close = () => {} }: { read: (nowUs: number) => number | null; close?: () => void },
): Collector {
  return { name: metric, metrics: [{ metric, unit }], read: (nowUs) => [read(nowUs)], close };
}

/** Returns the result of `read`, or the fallback if it throws. */
export function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Converts an increasing counter to its rate per µs between two readings. */
export class RateOfCounter {
  #last: { value: number; atUs: number } | null = null;

  /** Returns the rate; null at the first reading. */
  next(value: number, atUs: number): number | null {
    const last = this.#last;
    this.#last = { value, atUs };
    if (last === null || atUs <= last.atUs) return null;
    return (value - last.value) / (atUs - last.atUs);
  }
}

const pageBytes = 4_096;

/**
 * A file in /proc or /sys that is read repeatedly: it is opened once, and read from its beginning each time.
 */
export class ProcFile {
  readonly #path: string;
  readonly #buffer: Buffer;
  #descriptor: number | null = null;

  /** Files longer than `bytes` are truncated. */
  constructor(path: string, bytes: number = pageBytes) {
    this.#path = path;
    this.#buffer = Buffer.allocUnsafe(bytes);
  }

  /** Throws the system's error: ENOENT, or ESRCH after the process has exited. */
  read(): string {
    this.#descriptor ??= openSync(this.#path, 'r');
    const length = readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, 0);
    return this.#buffer.toString('latin1', 0, length);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}
