import type { AgentCapabilities, TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';

type Device = TestbedCapabilities['devices'][number];

/** One line that tells devices apart: processor, system, and the broker where there is one. */
export function describeDevice({ capabilities }: Pick<Device, 'capabilities'>): string {
  if (!capabilities) return 'not known yet';
  const { cpuModel, cpuCores, os } = capabilities;
  const broker = brokerName(capabilities);
  return [`${cpuCores} × ${cpuModel}`, os, ...(broker ? [broker] : [])].join(', ');
}

/** "mosquitto 2.0.11"; null on a device that can play no broker. */
export function brokerName({ brokers }: Pick<AgentCapabilities, 'brokers'>): string | null {
  const [first] = brokers;
  return first ? `${first.kind} ${first.version}` : null;
}

/** In words, what a processor's features mean for the cost of cryptography. */
export function describeCrypto({ cpuFeatures }: Pick<AgentCapabilities, 'cpuFeatures'>): string {
  const has = (name: string) => cpuFeatures.includes(name);
  if (has('aes')) return 'AES in hardware';
  if (cpuFeatures.length === 0) return 'no features reported';
  return 'no AES in hardware: ChaCha20-Poly1305 is often the faster suite here';
}

interface SharedOffer {
  /** Offered by every device, so that a plan can ask for it. */
  shared: string[];
  /** Lacking on one of the others at least. */
  alone: string[];
}

/** What this device and the other devices of its testbed offer together. */
export function compareOffers(own: readonly string[], others: readonly (readonly string[])[]): SharedOffer {
  const isShared = (name: string) => others.every((offer) => offer.includes(name));
  return { shared: own.filter(isShared), alone: own.filter((name) => !isShared(name)) };
}
