import { joinWords } from '@mqttlab/shared/analysis/phrase';
import type { AgentCapabilities, TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { clockDifference, type HealthReading } from '@mqttlab/shared/domain/devices/device-health';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatBytes, formatQuantity } from '@mqttlab/shared/format/quantity';

type Device = TestbedCapabilities['devices'][number];

/** Summarises a device in one line: processor, operating system and broker, if any. */
export function describeDevice({ capabilities }: Pick<Device, 'capabilities'>): string {
  if (!capabilities) return 'not known yet';
  const { cpuModel, cpuCores, os } = capabilities;
  const broker = brokerName(capabilities);
  return [`${cpuCores} × ${cpuModel}`, os, ...(broker ? [broker] : [])].join(', ');
}

/** Returns "mosquitto 2.0.11"; null if the device cannot be a broker. */
export function brokerName({ brokers }: Pick<AgentCapabilities, 'brokers'>): string | null {
  const [first] = brokers;
  return first ? `${first.kind} ${first.version}` : null;
}

/** Describes what the processor's features mean for the cost of cryptography. */
export function describeCrypto({ cpuFeatures }: Pick<AgentCapabilities, 'cpuFeatures'>): string {
  const has = (name: string) => cpuFeatures.includes(name);
  if (has('aes')) return 'AES in hardware';
  if (cpuFeatures.length === 0) return 'no features reported';
  return 'no AES in hardware: ChaCha20-Poly1305 is often the faster suite here';
}

/** Returns the health of an idle device as labels and values. Unknown values are omitted. */
export function describeHealth(health: HealthReading): { label: string; value: string }[] {
  const { cpuPercent, temperatureC, clockAheadMs, diskFreeBytes } = health;
  return [
    ...(cpuPercent === null ? [] : [{ label: 'CPU', value: formatQuantity(Math.round(cpuPercent), '%') }]),
    ...(temperatureC === null
      ? []
      : [{ label: 'Temperature', value: formatQuantity(Math.round(temperatureC), '°C') }]),
    { label: 'Clock', value: clockWords(clockAheadMs) },
    ...(diskFreeBytes === null ? [] : [{ label: 'Free disk', value: formatBytes(diskFreeBytes) }]),
  ];
}

/** Clock difference in ms below which the cause is only the transfer time. */
const sameClockMs = 100;

function clockWords(aheadMs: number): string {
  if (Math.abs(aheadMs) < sameClockMs) return 'same as server';
  return `${clockDifference(aheadMs)} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
}

interface SharedOffer {
  /** Features that every device supports, so that a plan can request them. */
  shared: string[];
  /** Features that at least one other device does not support. */
  alone: string[];
  /** Names of the devices that lack any of the features in `alone`. */
  missingOn: string[];
}

/** Features of another device in the testbed. */
export interface PeerOffer {
  device: string;
  offer: readonly string[];
}

/** Splits the features of this device into those that all devices in its testbed support and the others. */
export function compareOffers(own: readonly string[], others: readonly PeerOffer[]): SharedOffer {
  const isShared = (name: string) => others.every(({ offer }) => offer.includes(name));
  const alone = own.filter((name) => !isShared(name));
  const lacking = others.filter(({ offer }) => alone.some((name) => !offer.includes(name)));
  return { shared: own.filter(isShared), alone, missingOn: lacking.map(({ device }) => device) };
}

/** Returns "7 usable here, 1 missing on local-broker". */
export function describeOffer({ shared, alone, missingOn }: SharedOffer): string {
  const usable = `${formatCount(shared.length)} usable here`;
  return alone.length === 0
    ? usable
    : `${usable}, ${formatCount(alone.length)} missing on ${joinWords(missingOn)}`;
}
