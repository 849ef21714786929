import { join } from 'node:path';
import type {
  AgentCapabilities,
  NetworkInterface,
  TimeService,
} from '@mqttlab/shared/domain/devices/capabilities';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import { readText } from '../processes/files.ts';
import type { MakeInstrument } from './instrument.ts';

export type Facts = Record<string, string | number | boolean | null>;

/** The device, its link, its clock and its software. */
export const environment: MakeInstrument = ({ device, capabilities, link, clock }) => {
  const before = { ...describeDevice(capabilities), ...describeLink(link), ...describeClock(clock) };
  let frequency: Facts = {};
  return {
    name: 'device',
    stop: () => {
      frequency = describeFrequency(device.sysRoot);
    },
    contribute: () => ({
      environment: { ...before, ...frequency, ...describeTimeService(device.sensors.timeService()) },
    }),
  };
};

/** Returns the hardware of the device and the versions of its software. */
function describeDevice(capabilities: AgentCapabilities): Facts {
  return {
    'agent.version': capabilities.agentVersion,
    'agent.pid': process.pid,
    'node.version': capabilities.nodeVersion,
    'node.tlsLibrary': capabilities.tls.library,
    'device.hostname': capabilities.hostname,
    'device.bootId': capabilities.bootId,
    'device.os': capabilities.os,
    'device.kernel': capabilities.kernel,
    'device.architecture': capabilities.architecture,
    'device.memoryBytes': capabilities.memoryBytes,
    'cpu.model': capabilities.cpuModel,
    'cpu.cores': capabilities.cpuCores,
    'cpu.features': capabilities.cpuFeatures.join(' '),
  };
}

/**
 * Returns the frequency governor and the current clock rate; null if the kernel does not scale frequencies.
 */
function describeFrequency(sysRoot: string): Facts {
  const folder = join(sysRoot, 'devices/system/cpu/cpufreq/policy0');
  const kilohertz = readText(join(folder, 'scaling_cur_freq'));
  return {
    'cpu.governor': readText(join(folder, 'scaling_governor')),
    'cpu.frequencyHz': kilohertz === null ? null : Number(kilohertz) * 1_000,
  };
}

function describeLink(link: NetworkInterface): Facts {
  return { 'link.interface': link.name, 'link.address': link.address };
}

function describeClock(clock: ClockOffset): Facts {
  return { 'clock.offsetUs': clock.offsetUs, 'clock.uncertaintyUs': clock.uncertaintyUs };
}

/** Returns facts about the program that synchronises the wall clock, if known. */
function describeTimeService(service: TimeService | null): Facts {
  return {
    'clock.service': service?.service ?? null,
    'clock.synchronised': service?.synchronised ?? null,
    'clock.estimatedErrorMs': service?.estimatedErrorMs ?? null,
  };
}
