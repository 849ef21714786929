import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import type { StartLoad } from '@mqttlab/shared/messages/agent';
import type { Clock } from '../pacing/clock.ts';
import type { Collector } from './collector.ts';
import { makeAgentCpuCollector, makeDeviceCpuCollector, makeProcessCpuCollector } from './cpu.ts';
import {
  makeFrequencyCollector,
  makeNetworkCollector,
  makeTemperatureCollector,
} from './device-collectors.ts';
import { makeMemoryCollector, makeProportionalMemoryCollector } from './memory.ts';
import { ProcessGroupCpuTime } from './process-group.ts';
import { Sampler } from './sampler.ts';

interface RoleSamplerOptions {
  device: { clock: Clock; procRoot: string; sysRoot: string };
  sampleHz: number;
  /** The MQTT processes, the main one first: the broker, the load worker, mosquitto clients. Empty: not known. */
  pids: readonly number[];
  /** Processes of ours that carry no load that is measured: what they take is nobody else's. */
  helpers: readonly number[];
  /** null when this device has no interface for the link; the network is then not sampled. */
  link: NetworkInterface | null;
  at: StartLoad;
  clock: ClockOffset;
}

/** Threads come and go seldom; at 10 Hz they are looked for once a second. */
const lookForThreadsEvery = 10;

/** The samplers of one role with every collector that there is, the one that was asked for first. */
export function makeRoleSamplers({ device, ...options }: RoleSamplerOptions): Sampler[] {
  const { clock, procRoot, sysRoot } = device;
  const { sampleHz, pids, helpers, link, at } = options;
  const { offsetUs } = options.clock;
  const cpuOf = (group: readonly number[], metric: 'cpu.process' | 'cpu.helpers') =>
    group.length === 0
      ? null
      : makeProcessCpuCollector(new ProcessGroupCpuTime(procRoot, group, lookForThreadsEvery), metric);
  // What changes slowly, and what costs half a millisecond to read: each as often as it deserves.
  const rates: readonly [number, (Collector | null)[]][] = [
    [
      sampleHz,
      [
        cpuOf(pids, 'cpu.process'),
        pids.length === 0 ? null : makeMemoryCollector(procRoot, pids),
        cpuOf(helpers, 'cpu.helpers'),
        makeDeviceCpuCollector(procRoot),
        makeAgentCpuCollector(),
        link === null ? null : makeNetworkCollector(sysRoot, link.name),
      ],
    ],
    [1, [makeTemperatureCollector(sysRoot), makeFrequencyCollector(sysRoot)]],
    [0.2, [pids.length === 0 ? null : makeProportionalMemoryCollector(procRoot, pids)]],
  ];
  return rates.flatMap(([hz, found]) => {
    const collectors = found.filter((collector) => collector !== null);
    if (collectors.length === 0) return [];
    const [startAtUs, measureAtUs] = [at.warmUpAtUs - offsetUs, at.measureAtUs - offsetUs];
    return [new Sampler({ clock, sampleHz: hz, startAtUs, measureAtUs, collectors })];
  });
}

/** The part of a progress frame that the device itself knows. */
export function progressOf(sampler: Sampler | null) {
  const rates = [sampler?.latest('network.rx') ?? null, sampler?.latest('network.tx') ?? null];
  return {
    cpuPercent: sampler?.latest('cpu.process') ?? null,
    deviceCpuPercent: sampler?.latest('cpu.device') ?? null,
    residentBytes: sampler?.latest('memory.resident') ?? null,
    wireBytesPerSecond: rates.every((rate) => rate !== null) ? rates.reduce((a, b) => a + b, 0) : null,
  };
}
