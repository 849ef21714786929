import { join } from 'node:path';
import type { RadioState, RunRadio } from '@mqttlab/shared/domain/runs/radio';
import { readText } from '../processes/files.ts';
import { findProgram, type RunCommand, runCommand } from '../processes/programs.ts';
import type { MakeInstrument } from './instrument.ts';

/** State of the Wi-Fi connection before and after the run. */
export const radio: MakeInstrument = ({ device: { procRoot }, link }) => {
  if (link.kind !== 'wifi') return null;
  const watch = new RadioWatch(link.name, procRoot, runCommand);
  return {
    name: 'radio',
    prepare: () => watch.start(),
    contribute: async () => {
      const found = await watch.finish();
      return found === null ? {} : { radio: found };
    },
  };
};

export interface RadioTexts {
  /**
   * Outputs of `iw dev NAME link`, `info` and `station dump`, and of /proc/net/wireless; null if an output is
   * unavailable.
   */
  link: string | null;
  info: string | null;
  station: string | null;
  wireless: string | null;
}

/** Combines the four outputs for one interface; a pure function. */
export function parseRadio(name: string, { link, info, station, wireless }: RadioTexts): RadioState {
  const first = (pattern: RegExp, ...texts: readonly (string | null)[]): number | null => {
    const found = texts.map((text) => pattern.exec(text ?? '')?.[1]).find((one) => one !== undefined);
    return found === undefined ? null : Number(found);
  };
  const row = wireless?.split('\n').find((line) => line.trim().startsWith(`${name}:`));
  // Columns: interface, status, link, level, noise, then discarded packets: nwid, crypt, fragment, retry
  // (wireless.7).
  const fields = row?.trim().split(/\s+/) ?? [];
  const field = (at: number) => (fields[at] === undefined ? null : Number.parseFloat(fields[at]));
  return {
    connected: link === null ? (row === undefined ? null : true) : !/^Not connected/m.test(link),
    channel: first(/^\s*channel (\d+)/m, info),
    frequencyMhz: first(/^\s*channel \d+ \((\d+) MHz/m, info) ?? first(/^\s*freq: (\d+)/m, link),
    widthMhz: first(/width: (\d+) MHz/, info),
    signalDbm: first(/^\s*signal:\s+(-?\d+)/m, station, link) ?? field(3),
    transmitDbm: first(/^\s*txpower (-?[\d.]+) dBm/m, info),
    transmitMbit: first(/^\s*tx bitrate:\s+([\d.]+) MBit\/s/m, station, link),
    receiveMbit: first(/^\s*rx bitrate:\s+([\d.]+) MBit\/s/m, station, link),
    retries: first(/^\s*tx retries:\s+(\d+)/m, station) ?? field(8),
    failed: first(/^\s*tx failed:\s+(\d+)/m, station),
  };
}

/**
 * The wireless interface used in one run. It is read before and after the run, never during a measurement.
 */
export class RadioWatch {
  readonly #name: string;
  readonly #procRoot: string;
  readonly #run: RunCommand;
  #found: RunRadio | null = null;

  constructor(name: string, procRoot: string, run: RunCommand) {
    this.#name = name;
    this.#procRoot = procRoot;
    this.#run = run;
  }

  /** Never rejects. */
  async start(): Promise<void> {
    this.#found = { interface: this.#name, before: await this.#ask(), after: null };
  }

  /** Returns null if it was not started. Never rejects. */
  async finish(): Promise<RunRadio | null> {
    return this.#found && { ...this.#found, after: await this.#ask() };
  }

  async #ask(): Promise<RadioState> {
    const iw = await findProgram('iw');
    const ask = (...question: readonly string[]) =>
      iw === null ? null : this.#run(iw, ['dev', this.#name, ...question]).catch(() => null);
    const [link, info, station] = await Promise.all([ask('link'), ask('info'), ask('station', 'dump')]);
    const wireless = readText(join(this.#procRoot, 'net/wireless'));
    return parseRadio(this.#name, { link, info, station, wireless });
  }
}
