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
  /** Folder of waiting results. */
  dataFolder: string;
  throttling: ThrottlingSource | null;
  /** Reads the temperature of the processor; null without a sensor. */
  temperature: Collector | null;
  interfaces: () => NetworkInterface[];
  /** True during a run: the run reports failures itself and must not be disturbed. */
  isBusy: () => boolean;
  onHealth: (health: DeviceHealth) => void;
  everyMs: number;
}

/** Maximum interfaces to report: a machine with many containers has far more. */
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

  /** Reports immediately, then periodically. Idempotent. */
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
    this.#options.temperature?.close();
  }

  /** A failed check is skipped, for example if an interface vanished meanwhile; the next one follows. */
  #lookNow(): void {
    this.#look().catch(() => {});
  }

  async #look(): Promise<void> {
    const { clock, dataFolder, isBusy, onHealth } = this.#options;
    if (isBusy()) {
      // The load of a run is not load of other programs.
      this.#cpuWasWatched = false;
      return;
    }
    const [diskFreeBytes, throttling] = await Promise.all([readDiskFree(dataFolder), this.#readThrottling()]);
    const cpuPercent = this.#readCpu();
    if (this.#timer === null) return;
    const interfaces = this.#options.interfaces().slice(0, maxInterfaces);
    const temperatureC = this.#read(this.#options.temperature);
    onHealth({
      unixMs: clock.unixMs(),
      diskFreeBytes,
      cpuPercent,
      ...(temperatureC === null ? {} : { temperatureC }),
      throttling,
      interfaces,
    });
  }

  #readCpu(): number | null {
    const wasWatched = this.#cpuWasWatched;
    this.#cpuWasWatched = true;
    const percent = this.#read(this.#cpu);
    return wasWatched ? percent : null;
  }

  /** First value of a collector; null if it cannot be read. */
  #read(collector: Collector | null): number | null {
    try {
      return collector?.read(this.#options.clock.nowUs())[0] ?? null;
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
