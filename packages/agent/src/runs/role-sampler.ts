import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import type { StartLoad } from '@mqttlab/shared/messages/agent';
import type { Collector } from '../sampling/collector.ts';
import { makeAgentCpuCollector, makeDeviceCpuCollector, makeProcessCpuCollector } from '../sampling/cpu.ts';
import { makeNetworkCollector } from '../sampling/network.ts';
import { makeGroupMemoryCollector, ProcessGroupCpuTime } from '../sampling/process-group.ts';
import { Sampler } from '../sampling/sampler.ts';
import type { Device } from './role-run.ts';

export interface RoleSamplerOptions {
  device: Pick<Device, 'clock' | 'procRoot' | 'sysRoot'>;
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

/** The sampler of one role, with every collector that there is. */
export function makeRoleSampler({ device, ...options }: RoleSamplerOptions): Sampler {
  const { procRoot, sysRoot } = device;
  const { offsetUs } = options.clock;
  return new Sampler({
    clock: device.clock,
    sampleHz: options.sampleHz,
    startAtUs: options.at.warmUpAtUs - offsetUs,
    measureAtUs: options.at.measureAtUs - offsetUs,
    collectors: [
      ...(options.pids.length === 0 ? [] : collectorsOf(procRoot, options.pids)),
      ...(options.helpers.length === 0 ? [] : [makeHelpersCollector(procRoot, options.helpers)]),
      makeDeviceCpuCollector(procRoot),
      makeAgentCpuCollector(),
      ...(options.link === null ? [] : [makeNetworkCollector(sysRoot, options.link.name)]),
    ],
  });
}

function collectorsOf(procRoot: string, pids: readonly number[]): Collector[] {
  return [
    makeProcessCpuCollector(new ProcessGroupCpuTime(procRoot, pids, lookForThreadsEvery)),
    makeGroupMemoryCollector(procRoot, pids),
  ];
}

function makeHelpersCollector(procRoot: string, pids: readonly number[]): Collector {
  return makeProcessCpuCollector(new ProcessGroupCpuTime(procRoot, pids, lookForThreadsEvery), 'cpu.helpers');
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
