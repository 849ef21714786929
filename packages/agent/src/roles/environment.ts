import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCapabilities, NetworkInterface } from '@mqttlab/shared/domain/capabilities';
import type { ClockOffset } from '@mqttlab/shared/domain/role-result';

export type Facts = Record<string, string | number | boolean | null>;

/** What the device is and which versions run on it. */
export function describeDevice(capabilities: AgentCapabilities): Facts {
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

/** Frequency governor and clock rate now; null where the kernel does not scale frequencies. */
export function describeFrequency(sysRoot: string): Facts {
  const folder = join(sysRoot, 'devices/system/cpu/cpu0/cpufreq');
  const kilohertz = readText(join(folder, 'scaling_cur_freq'));
  return {
    'cpu.governor': readText(join(folder, 'scaling_governor')),
    'cpu.frequencyHz': kilohertz === null ? null : Number(kilohertz) * 1_000,
  };
}

export function describeLink(link: NetworkInterface | null): Facts {
  return { 'link.interface': link?.name ?? null, 'link.address': link?.address ?? null };
}

export function describeClock(clock: ClockOffset): Facts {
  return { 'clock.offsetUs': clock.offsetUs, 'clock.uncertaintyUs': clock.uncertaintyUs };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
