import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { makeDeviceCpuCollector } from '../instruments/cpu.ts';
import type { MeasuredDevice, ThrottlingReading } from '../instruments/instrument.ts';
import type { Collector } from '../instruments/sampler.ts';
import { makeTemperatureCollector, sinceBoot } from '../instruments/thermal.ts';
import { readDiskFree } from '../processes/files.ts';
import { readAddresses, readNetworkInterfaces } from '../processes/network.ts';

interface HealthWatchOptions {
  device: MeasuredDevice;
  /** Folder in which results wait to be sent. */
  dataFolder: string;
  /** True during a run: the run itself reports failures and must not be disturbed. */
  isBusy: () => boolean;
  onHealth: (health: DeviceHealth) => void;
  everyMs: number;
}

/** Maximum number of interfaces to report: a machine with many containers has far more. */
const maxInterfaces = 64;

/** Reports the health of the device every few seconds while the server is connected. No method throws. */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  readonly #cpu: Collector;
  /** null without a sensor. */
  readonly #temperature: Collector | null;
  #timer: NodeJS.Timeout | null = null;
  #lastThrottling: ThrottlingReading | null = null;
  #cpuWasWatched = false;

  constructor(options: HealthWatchOptions) {
    this.#options = options;
    this.#cpu = makeDeviceCpuCollector(options.device.procRoot);
    this.#temperature = makeTemperatureCollector(options.device.sysRoot);
  }

  /** Reports immediately, then periodically. Idempotent. */
  start(): void {
    if (this.#timer !== null) return;
    this.#report();
    this.#timer = setInterval(() => this.#report(), this.#options.everyMs);
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#cpu.close();
    this.#temperature?.close();
  }

  /**
   * Sends a report. Skips it if it fails, for example because an interface has vanished; the next report
   * follows.
   */
  #report(): void {
    this.#readHealth().catch(() => {});
  }

  async #readHealth(): Promise<void> {
    const { device, dataFolder, isBusy, onHealth } = this.#options;
    if (isBusy()) {
      // A run's load does not count as load from other programs.
      this.#cpuWasWatched = false;
      return;
    }
    const [diskFreeBytes, throttling] = await Promise.all([readDiskFree(dataFolder), this.#readThrottling()]);
    const cpuPercent = this.#readCpu();
    if (this.#timer === null) return;
    const interfaces = readNetworkInterfaces(device.sysRoot, readAddresses()).slice(0, maxInterfaces);
    const temperatureC = this.#read(this.#temperature);
    onHealth({
      unixMs: device.clock.unixMs(),
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

  /** Returns a collector's first value; null if it cannot be read. */
  #read(collector: Collector | null): number | null {
    try {
      return collector?.read(this.#options.device.clock.nowUs())[0] ?? null;
    } catch {
      return null;
    }
  }

  async #readThrottling(): Promise<string[]> {
    const before = this.#lastThrottling;
    try {
      const now = (await this.#options.device.sensors.throttling?.read()) ?? null;
      this.#lastThrottling = now;
      const grown = before !== null && now !== null && (now.count ?? 0) > (before.count ?? 0);
      const active = now?.active.filter((flag) => !flag.endsWith(sinceBoot)) ?? [];
      return [...active, ...(grown ? ['too hot'] : [])];
    } catch {
      return [];
    }
  }
}
