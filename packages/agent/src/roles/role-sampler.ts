import type { NetworkInterface } from '@mqttlab/shared/domain/capabilities';
import type { ClockOffset } from '@mqttlab/shared/domain/role-result';
import type { StartLoad } from '@mqttlab/shared/protocol/agent';
import { makeAgentCpuCollector, makeDeviceCpuCollector, makeProcessCpuCollector } from '../sampling/cpu.ts';
import { makeMemoryCollector } from '../sampling/memory.ts';
import { makeNetworkCollector } from '../sampling/network.ts';
import { ProcessCpuTime } from '../sampling/process-cpu-time.ts';
import { Sampler } from '../sampling/sampler.ts';
import type { Device } from './role-run.ts';

export interface RoleSamplerOptions {
  device: Pick<Device, 'clock' | 'procRoot' | 'sysRoot'>;
  sampleHz: number;
  /** The MQTT process: the broker, or the load worker. */
  pid: number;
  /** null when this device has no interface for the link; the network is then not sampled. */
  link: NetworkInterface | null;
  at: StartLoad;
  clock: ClockOffset;
}

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
      makeProcessCpuCollector(new ProcessCpuTime(procRoot, options.pid)),
      makeMemoryCollector(procRoot, options.pid),
      makeDeviceCpuCollector(procRoot),
      makeAgentCpuCollector(),
      ...(options.link === null ? [] : [makeNetworkCollector(sysRoot, options.link.name)]),
    ],
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
