import type { ShapingCapability } from '../plans/impairment.ts';
import type { BrokerKind } from '../plans/trial-spec.ts';
import type {
  AgentCapabilities,
  BrokerCapability,
  NetworkInterface,
  TestbedCapabilities,
  TlsCapability,
} from './capabilities.ts';
import { isBrokerRole, neededRoles, type Role } from './device.ts';
import type { ExternalBroker } from './external-broker.ts';
import type { ExternalDevice } from './external-device.ts';

/** Combined capabilities of the devices of a testbed: the input of all planning checks. */
export interface TestbedView {
  testbedId: string;
  name: string;
  /**
   * The current broker: the first of `brokers` unless selected by `withBroker`; null if there is no broker.
   */
  broker: BrokerCapability | null;
  /** All brokers on the broker's device; an external broker is the last entry. */
  brokers: readonly BrokerCapability[];
  /** The brokers that a draft varies; the first of `brokers` unless selected by `withChosenBrokers`. */
  chosenBrokers: readonly BrokerCapability[];
  externalBroker: ExternalBroker | null;
  externalDevice: ExternalDevice | null;
  /** Capabilities of every client device. */
  clientDevices: readonly AgentCapabilities[];
  /** Pool of every online publisher device; null if the device was added manually. */
  publisherPools: readonly (string | null)[];
  /** Shaping capabilities of every online device. */
  shapingEnds: readonly { id: string; name: string; role: Role; shaping: ShapingCapability | null }[];
  /** Why packets cannot be captured on a broker's device; null if they can. */
  captureRefusal: string | null;
  /** Why AES instructions cannot be disabled on one of the devices; null if they can. */
  aesRefusal: string | null;
  /** TLS capabilities of every client device. */
  clients: readonly TlsCapability[];
  /** Links by name: the interfaces of the broker's device. */
  links: readonly NetworkInterface[];
  missingRoles: readonly string[];
  /** Roles of all online devices. */
  roles: readonly Role[];
}

/** Builds the view. Devices that are offline or have not announced capabilities count as missing. Pure. */
export function makeTestbedView(testbed: TestbedCapabilities): TestbedView {
  const ready = testbed.devices.filter((device) => device.online && device.capabilities !== null);
  const brokerDevice = ready.find((device) => device.role === 'broker')?.capabilities ?? null;
  const present = new Set(ready.map((device) => device.role));
  const clients = ready
    .filter((device) => !isBrokerRole(device.role))
    .flatMap((device) => (device.capabilities ? [device.capabilities.tls] : []));
  const external = testbed.externalBroker && capabilityOfExternal(testbed.externalBroker, clients);
  const brokers = [...(brokerDevice?.brokers ?? []), ...(brokerDevice && external ? [external] : [])];
  return {
    testbedId: testbed.testbedId,
    name: testbed.name,
    broker: brokers[0] ?? null,
    brokers,
    chosenBrokers: brokers.slice(0, 1),
    externalBroker: testbed.externalBroker,
    externalDevice: testbed.externalDevice,
    clientDevices: ready.flatMap(({ role, capabilities }) =>
      isBrokerRole(role) || capabilities === null ? [] : [capabilities],
    ),
    publisherPools: ready.flatMap(({ role, pool }) => (role === 'publisher' ? [pool ?? null] : [])),
    shapingEnds: ready.map(({ deviceId, name, role, capabilities }) => ({
      id: deviceId,
      name,
      role,
      shaping: capabilities?.shaping ?? null,
    })),
    captureRefusal: captureRefusalOf(ready.filter(({ role }) => isBrokerRole(role))),
    aesRefusal: aesRefusalOf(ready),
    clients,
    links: linksOf(testbed, brokerDevice).filter((link) => link.up),
    missingRoles: neededRoles.filter((role) => !present.has(role)),
    roles: [...present],
  };
}

/** Architectures on which OpenSSL can mask CPU features (OPENSSL_ia32cap(3), OPENSSL_armcap). */
const maskable: readonly string[] = ['x86_64', 'aarch64'];

function aesRefusalOf(devices: TestbedCapabilities['devices']): string | null {
  for (const { name, capabilities } of devices) {
    if (capabilities === null) continue;
    const { architecture, cpuFeatures } = capabilities;
    if (!cpuFeatures.includes('aes')) return `the CPU of ${name} has no AES instructions`;
    if (!maskable.includes(architecture)) return `OpenSSL cannot disable them on ${architecture}`;
  }
  return null;
}

function captureRefusalOf(brokers: TestbedCapabilities['devices']): string | null {
  for (const { capabilities } of brokers) {
    if (capabilities !== null && capabilities.captureRefusal !== null) return capabilities.captureRefusal;
  }
  return null;
}

/** Returns the links. A named link is up if the interface of the broker's device is up. */
function linksOf(
  { links, devices }: TestbedCapabilities,
  broker: AgentCapabilities | null,
): NetworkInterface[] {
  const interfaces = broker?.interfaces ?? [];
  if (links === undefined) return interfaces;
  const { deviceId = '', pool = '' } = devices.find(({ role }) => role === 'broker') ?? {};
  return links.flatMap(({ name, interfaces: byDevice }) => {
    const own = interfaces.find((entry) => entry.name === (byDevice[deviceId] ?? byDevice[pool]));
    return own ? [{ ...own, name }] : [];
  });
}

/** Returns the view with another current broker, which is null if the testbed has no broker of that kind. */
export function withBroker(testbed: TestbedView, kind: BrokerKind): TestbedView {
  return { ...testbed, broker: testbed.brokers.find((broker) => broker.kind === kind) ?? null };
}

/** Returns the view for a draft that varies these brokers; missing kinds are skipped. */
export function withChosenBrokers(testbed: TestbedView, kinds: readonly unknown[] | undefined): TestbedView {
  const found = (kinds ?? []).flatMap((kind) => testbed.brokers.find((broker) => broker.kind === kind) ?? []);
  const chosenBrokers = found.length > 0 ? found : testbed.brokers.slice(0, 1);
  return { ...testbed, chosenBrokers, broker: chosenBrokers[0] ?? null };
}

/**
 * Returns the assumed capabilities of an external broker. It announces no capabilities, so everything that
 * all clients support is allowed until a connection fails.
 */
function capabilityOfExternal(external: ExternalBroker, clients: readonly TlsCapability[]): BrokerCapability {
  const [first, ...rest] = clients;
  const common = <T extends string>(pick: (tls: TlsCapability) => readonly T[]): T[] =>
    external.tlsPort === null || first === undefined
      ? []
      : pick(first).filter((name) => rest.every((tls) => pick(tls).includes(name)));
  const { port, websocketPort, mqttVersions, label } = external;
  return {
    kind: 'external',
    version: label,
    mqttVersions,
    maximumPacketBytes: largestPacketBytes,
    tls: {
      library: label,
      suites: common((tls) => tls.suites),
      groups: common((tls) => tls.groups),
      certificates: common((tls) => tls.certificates),
    },
    transports: [
      ...(port === null && external.tlsPort === null ? [] : ['tcp' as const]),
      ...(websocketPort === null ? [] : ['websocket' as const]),
    ],
    sharedSubscriptions: mqttVersions.includes('5.0'),
    clientCertificates: false,
    choosesFiniteField: false,
    resumes: external.tlsPort === null ? [] : ['TLS 1.2', 'TLS 1.3'],
  };
}

/** Maximum MQTT packet size (MQTT 5 section 1.5.5): remaining length of four bytes. */
const largestPacketBytes = 268_435_455;

/** Returns the names that the broker and all clients offer. */
export function offeredByAll(
  testbed: TestbedView,
  pick: (tls: TlsCapability) => readonly string[],
): string[] {
  const ends = [...(testbed.broker ? [testbed.broker.tls] : []), ...testbed.clients];
  const [first, ...rest] = ends.map((end) => pick(end));
  return (first ?? []).filter((name) => rest.every((names) => names.includes(name)));
}

/** Returns the names that at least one end offers, in order of first appearance. */
export function offeredByAny(
  testbed: TestbedView,
  pick: (tls: TlsCapability) => readonly string[],
): string[] {
  const ends = [...testbed.clients, ...(testbed.broker ? [testbed.broker.tls] : [])];
  return [...new Set(ends.flatMap((end) => pick(end)))];
}
