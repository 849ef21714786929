import { join } from 'node:path';
import type {
  AgentCapabilities,
  NetworkInterface,
  TimeService,
} from '@mqttlab/shared/domain/devices/capabilities';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import { listFolder, readText } from '../base/kernel-files.ts';

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
  const folder = join(sysRoot, 'devices/system/cpu/cpufreq/policy0');
  const kilohertz = readText(join(folder, 'scaling_cur_freq'));
  return {
    'cpu.governor': readText(join(folder, 'scaling_governor')),
    'cpu.frequencyHz': kilohertz === null ? null : Number(kilohertz) * 1_000,
  };
}

export function describeLink(link: NetworkInterface): Facts {
  return { 'link.interface': link.name, 'link.address': link.address };
}

export function describeClock(clock: ClockOffset): Facts {
  return { 'clock.offsetUs': clock.offsetUs, 'clock.uncertaintyUs': clock.uncertaintyUs };
}

/** What keeps the wall clock right, as far as anybody tells. */
export function describeTimeService(service: TimeService | null): Facts {
  return {
    'clock.service': service?.service ?? null,
    'clock.synchronised': service?.synchronised ?? null,
    'clock.estimatedErrorMs': service?.estimatedErrorMs ?? null,
  };
}

/** Bytes through every interface from this call to that of what it returns. */
export function describeTraffic(sysRoot: string): () => Facts {
  const before = readTraffic(sysRoot);
  return () => {
    const facts: Facts = {};
    for (const [name, bytes] of readTraffic(sysRoot)) {
      const more = bytes - (before.get(name) ?? bytes);
      // A counter that went back was reset: no figure rather than a wrong one.
      if (more >= 0) facts[name] = more;
    }
    return facts;
  };
}

function readTraffic(sysRoot: string): Map<string, number> {
  const root = join(sysRoot, 'class/net');
  const counters = ['rx', 'tx'] as const;
  const found = new Map<string, number>();
  for (const name of listFolder(root)) {
    for (const counter of counters) {
      const text = readText(join(root, name, 'statistics', `${counter}_bytes`));
      if (text !== null) found.set(`network.${name}.${counter}Bytes`, Number(text));
    }
  }
  return found;
}
