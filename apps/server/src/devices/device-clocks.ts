import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClockOffset, RunClock } from '@mqttlab/shared/domain/runs/role-result';
import { type ClockSample, clockOffsetOf } from '@mqttlab/shared/statistics/estimates/clock-offset';
import type { AgentLink } from './agent-link.ts';

const probes = 12;
/** Apart, so that one hiccup of the network does not spoil them all. */
const probeGapMs = 3;

/** CLOCK_MONOTONIC in µs: the testbed clock. */
export function monotonicUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/** Identifies this boot of the kernel; devices that share it share the monotonic clock. Empty when not told. */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/**
 * Offset and uncertainty of a device against the testbed clock; nothing is exchanged with a device of the same
 * boot. Rejects with Failure when the device does not answer.
 */
export async function measureClockOffset(link: AgentLink, bootId: string): Promise<ClockOffset> {
  if (bootId !== '' && link.capabilities.bootId === bootId) return { offsetUs: 0, uncertaintyUs: 0 };
  const samples: ClockSample[] = [];
  for (let i = 0; i < probes; i += 1) {
    if (i > 0) await wait(probeGapMs);
    samples.push(await link.exchangeClock());
  }
  return clockOffsetOf(samples);
}

/** Of a device that was compared by another, which was compared with the server: offsets and bounds add up. Pure. */
export function joinClocks(own: RunClock | null, other: RunClock | null): RunClock | null {
  if (own === null || other === null) return other;
  const add = (a: ClockOffset, b: ClockOffset): ClockOffset => ({
    offsetUs: a.offsetUs + b.offsetUs,
    uncertaintyUs: a.uncertaintyUs + b.uncertaintyUs,
  });
  return {
    before: add(own.before, other.before),
    after: own.after && other.after && add(own.after, other.after),
  };
}

/** By device. */
export type DeviceClocks = ReadonlyMap<string, RunClock>;
type DeviceOffsets = ReadonlyMap<string, ClockOffset>;

interface RunClocksOptions {
  /** Of every device that takes part. */
  links: readonly AgentLink[];
  /** Of the server's own kernel. */
  bootId: string;
  /** After each exchange: what is known by then. */
  onCompared?: ((clocks: DeviceClocks) => void) | undefined;
}

/** The clocks of the devices of one run against that of the server, before its load and after. */
export class RunClocks {
  readonly #options: RunClocksOptions;
  #before: DeviceOffsets | null = null;

  constructor(options: RunClocksOptions) {
    this.#options = options;
  }

  /** The offsets that the run is carried out with. Rejects with Failure. */
  async compareBefore(): Promise<DeviceOffsets> {
    const before = await this.#compare();
    this.#before = before;
    this.#report(before, null);
    return before;
  }

  /** How they have drifted. Rejects with Failure. */
  async compareAfter(): Promise<void> {
    const before = this.#before;
    if (before === null) throw new Error('the clocks were not compared before the load');
    this.#report(before, await this.#compare());
  }

  #report(before: DeviceOffsets, after: DeviceOffsets | null): void {
    const clocks = [...before].map(
      ([deviceId, offset]) => [deviceId, { before: offset, after: after?.get(deviceId) ?? null }] as const,
    );
    this.#options.onCompared?.(new Map(clocks));
  }

  /** Devices that share a kernel have one clock, and get one offset: between them no error is left. */
  async #compare(): Promise<DeviceOffsets> {
    const { links, bootId } = this.#options;
    const byKernel = new Map<string, Promise<ClockOffset>>();
    const offsets = links.map(async (link) => {
      const kernel = kernelOf(link);
      const known = byKernel.get(kernel) ?? measureClockOffset(link, bootId);
      byKernel.set(kernel, known);
      return [link.deviceId, await known] as const;
    });
    return new Map(await Promise.all(offsets));
  }
}

function kernelOf({ capabilities, deviceId }: AgentLink): string {
  return capabilities.bootId || deviceId;
}

/** Whether publishers must be told to take the round trip too: two kernels never have quite one clock. */
export function needsMirror(
  publishers: readonly Pick<AgentLink, 'deviceId' | 'capabilities'>[],
  subscribers: typeof publishers,
): boolean {
  const bootIds = [...publishers, ...subscribers].map(({ capabilities }) => capabilities.bootId);
  return new Set(bootIds).size > 1;
}
