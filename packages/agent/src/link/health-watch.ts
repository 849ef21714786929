import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { makeDeviceCpuCollector } from '../instruments/cpu.ts';
import type { ThrottlingReading, ThrottlingSource } from '../instruments/instrument.ts';
import type { Collector } from '../instruments/sampler.ts';
import { sinceBoot } from '../instruments/thermal.ts';
import type { Clock } from '../load/pacing/clock.ts';
import { readDiskFree } from '../processes/files.ts';

export interface HealthWatchOptions {
  clock: Clock;
  procRoot: string;
  /** Where results wait. */
  dataFolder: string;
  throttling: ThrottlingSource | null;
  interfaces: () => NetworkInterface[];
  /** While a Run goes on nothing is looked at: the Run itself tells, and is not disturbed. */
  isBusy: () => boolean;
  onHealth: (health: DeviceHealth) => void;
  everyMs: number;
}

/** A machine with many containers has more than anybody chooses from. */
const maxInterfaces = 64;

/** Reports the health of the device every few seconds while the server is connected. Nothing here throws. */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  readonly #cpu: Collector;
  #timer: NodeJS.Timeout | null = null;
  #lastThrottling: ThrottlingReading | null = null;
  #cpuWasWatched = false;

  constructor(options: HealthWatchOptions) {
    this.#options = options;
    this.#cpu = makeDeviceCpuCollector(options.procRoot);
  }

  /** Tells at once, then again and again. Idempotent. */
  start(): void {
    if (this.#timer !== null) return;
    this.#lookNow();
    this.#timer = setInterval(() => this.#lookNow(), this.#options.everyMs);
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#cpu.close();
  }

  /** A look that fails, because an interface vanished meanwhile, is left out; the next one follows. */
  #lookNow(): void {
    this.#look().catch(() => {});
  }

  async #look(): Promise<void> {
    const { clock, dataFolder, isBusy, onHealth } = this.#options;
    if (isBusy()) {
      // The load of a Run is not that of other programs.
      this.#cpuWasWatched = false;
      return;
    }
    const [diskFreeBytes, throttling] = await Promise.all([readDiskFree(dataFolder), this.#readThrottling()]);
    const cpuPercent = this.#readCpu();
    if (this.#timer === null) return;
    const interfaces = this.#options.interfaces().slice(0, maxInterfaces);
    onHealth({ unixMs: clock.unixMs(), diskFreeBytes, cpuPercent, throttling, interfaces });
  }

  #readCpu(): number | null {
    const wasWatched = this.#cpuWasWatched;
    this.#cpuWasWatched = true;
    try {
      const [percent = null] = this.#cpu.read(this.#options.clock.nowUs());
      return wasWatched ? percent : null;
    } catch {
      return null;
    }
  }

  async #readThrottling(): Promise<string[]> {
    const before = this.#lastThrottling;
    try {
      const now = (await this.#options.throttling?.read()) ?? null;
      this.#lastThrottling = now;
      const grown = before !== null && now !== null && (now.count ?? 0) > (before.count ?? 0);
      const active = now?.active.filter((flag) => !flag.endsWith(sinceBoot)) ?? [];
      return [...active, ...(grown ? ['too hot'] : [])];
    } catch {
      return [];
    }
  }
}
