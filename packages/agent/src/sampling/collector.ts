import { closeSync, openSync, readSync } from 'node:fs';

/** Reads some metrics at one instant. */
export interface Collector {
  /** Its name in the list of what was degraded. */
  readonly name: string;
  readonly metrics: readonly { metric: string; unit: string }[];
  /**
   * One value for each metric, as of `nowUs` (monotonic µs); null where there is no earlier reading to compare
   * with. Throws when it cannot be read: it is then left out for the rest of the Run.
   */
  read(nowUs: number): readonly (number | null)[];
  close(): void;
}

/** One that reads a single metric and is named for it. */
export function makeCollector(
  metric: string,
  unit: string,
  { read, close = () => {} }: { read: (nowUs: number) => number | null; close?: () => void },
): Collector {
  return { name: metric, metrics: [{ metric, unit }], read: (nowUs) => [read(nowUs)], close };
}

/** What a reading gives, or something else where it throws. */
export function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Turns a counter that only grows into its rate per µs between two readings. */
export class RateOfCounter {
  #last: { value: number; atUs: number } | null = null;

  /** null at the first reading. */
  next(value: number, atUs: number): number | null {
    const last = this.#last;
    this.#last = { value, atUs };
    if (last === null || atUs <= last.atUs) return null;
    return (value - last.value) / (atUs - last.atUs);
  }
}

const pageBytes = 4_096;

/** A file of /proc or /sys that is read again and again: opened once, read from its beginning each time. */
export class ProcFile {
  readonly #path: string;
  readonly #buffer: Buffer;
  #descriptor: number | null = null;

  /** Files longer than `bytes` are cut. */
  constructor(path: string, bytes: number = pageBytes) {
    this.#path = path;
    this.#buffer = Buffer.allocUnsafe(bytes);
  }

  /** Throws the system's error: ENOENT, or ESRCH once the process is gone. */
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
