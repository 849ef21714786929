import type {
  AgentCapabilities,
  BrokerCapability,
  NetworkInterface,
  TestbedCapabilities,
  TlsCapability,
} from './capabilities.ts';
import type { ExternalBroker } from './external-broker.ts';
import type { BrokerKind } from './trial-spec.ts';

/** What the devices of a Testbed can do together: the input of every check in planning. */
export interface TestbedView {
  testbedId: string;
  name: string;
  /** The one that is looked at: the first of `brokers` unless `withBroker` chose; null while there is none. */
  broker: BrokerCapability | null;
  /** Every broker of the broker's device. */
  brokers: readonly BrokerCapability[];
  externalBroker: ExternalBroker | null;
  /** What every client device can do. */
  clientDevices: readonly AgentCapabilities[];
  /** TLS of every client device. */
  clients: readonly TlsCapability[];
  /** Links by name: interfaces of the broker's device; on one machine these are all links there are. */
  links: readonly NetworkInterface[];
  missingRoles: readonly string[];
}

/** Pure; devices that are offline or have announced nothing count as missing. */
export function makeTestbedView(testbed: TestbedCapabilities): TestbedView {
  const ready = testbed.devices.filter((device) => device.online && device.capabilities !== null);
  const brokerDevice = ready.find((device) => device.role === 'broker')?.capabilities ?? null;
  const present = new Set(ready.map((device) => device.role));
  return {
    testbedId: testbed.testbedId,
    name: testbed.name,
    broker: brokerDevice?.brokers[0] ?? null,
    brokers: brokerDevice?.brokers ?? [],
    externalBroker: testbed.externalBroker,
    clientDevices: ready.flatMap(({ role, capabilities }) =>
      role === 'broker' || capabilities === null ? [] : [capabilities],
    ),
    clients: ready
      .filter((device) => device.role !== 'broker')
      .flatMap((device) => (device.capabilities ? [device.capabilities.tls] : [])),
    links: (brokerDevice?.interfaces ?? []).filter((link) => link.up),
    missingRoles: (['broker', 'publisher', 'subscriber'] as const).filter((role) => !present.has(role)),
  };
}

/** The same testbed with another of its brokers looked at; null as broker where it has none of that kind. */
export function withBroker(testbed: TestbedView, kind: BrokerKind): TestbedView {
  return { ...testbed, broker: testbed.brokers.find((broker) => broker.kind === kind) ?? null };
}

/** Names that the broker and every client offer. */
export function offeredByAll(
  testbed: TestbedView,
  pick: (tls: TlsCapability) => readonly string[],
): string[] {
  const ends = [...(testbed.broker ? [testbed.broker.tls] : []), ...testbed.clients];
  const [first, ...rest] = ends.map((end) => pick(end));
  return (first ?? []).filter((name) => rest.every((names) => names.includes(name)));
}

/** Names that at least one end offers, in the order met. */
export function offeredByAny(
  testbed: TestbedView,
  pick: (tls: TlsCapability) => readonly string[],
): string[] {
  const ends = [...testbed.clients, ...(testbed.broker ? [testbed.broker.tls] : [])];
  return [...new Set(ends.flatMap((end) => pick(end)))];
}
