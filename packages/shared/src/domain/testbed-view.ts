import type {
  BrokerCapability,
  NetworkInterface,
  TestbedCapabilities,
  TlsCapability,
} from './capabilities.ts';

/** What the devices of a Testbed can do together: the input of every check in planning. */
export interface TestbedView {
  testbedId: string;
  name: string;
  /** null while no broker device is online. */
  broker: BrokerCapability | null;
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
    clients: ready
      .filter((device) => device.role !== 'broker')
      .flatMap((device) => (device.capabilities ? [device.capabilities.tls] : [])),
    links: (brokerDevice?.interfaces ?? []).filter((link) => link.up),
    missingRoles: (['broker', 'publisher', 'subscriber'] as const).filter((role) => !present.has(role)),
  };
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
