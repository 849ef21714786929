import type { ClockOffset, RunClock } from '@mqttlab/shared/domain/runs/role-result';
import type { AgentLink } from '../testbed/agent-link.ts';
import { measureClockOffset } from '../testbed/clock-offset.ts';

/** By device. */
export type DeviceClocks = ReadonlyMap<string, RunClock>;
type DeviceOffsets = ReadonlyMap<string, ClockOffset>;

export interface RunClocksOptions {
  /** Of every device that takes part. */
  links: readonly AgentLink[];
  /** Of the server's own kernel. */
  bootId: string;
  /** After each exchange: what is known by then. */
  onCompared?: ((clocks: DeviceClocks) => void) | undefined;
}

/** The clocks of the devices of one Run against that of the server, before its load and after. */
export class RunClocks {
  readonly #options: RunClocksOptions;
  #before: DeviceOffsets | null = null;

  constructor(options: RunClocksOptions) {
    this.#options = options;
  }

  /** The offsets that the Run is carried out with. Rejects with AgentError. */
  async compareBefore(): Promise<DeviceOffsets> {
    const before = await this.#compare();
    this.#before = before;
    this.#tell(before, null);
    return before;
  }

  /** How they have drifted. Rejects with AgentError. */
  async compareAfter(): Promise<void> {
    const before = this.#before;
    if (before === null) throw new Error('the clocks were not compared before the load');
    this.#tell(before, await this.#compare());
  }

  #tell(before: DeviceOffsets, after: DeviceOffsets | null): void {
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
