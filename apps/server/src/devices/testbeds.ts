import type {
  TestbedCapabilities,
  TestbedLink,
  TestbedPool,
} from '@mqttlab/shared/domain/devices/capabilities';
import { neededRoles, type Role, sharedRoles } from '@mqttlab/shared/domain/devices/device';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { Testbeds } from '../base/ports.ts';
import type { BrokerStore } from '../store/settings/broker-store.ts';
import type { ExternalDeviceStore } from '../store/settings/external-device-store.ts';
import type { AgentIdentity, Agents } from './agent-link.ts';
import type { Leases } from './leases.ts';

export interface DefinedDevice extends AgentIdentity {
  /** Its agent is started when a Run first needs it; until then this other device of its machine speaks for it. */
  standIn?: string;
  /** The one it enrolled in: it comes and goes, and runs take whoever is there. */
  pool?: string;
}

/** A Testbed as it was set up: which device plays which role. */
export interface TestbedDefinition {
  testbedId: string;
  name: string;
  devices: readonly DefinedDevice[];
  /** Left out: every interface of the broker's device is a link. */
  links?: readonly TestbedLink[];
  pools?: readonly TestbedPool[];
}

/** A device in its role, with the interface it uses for each named link. Several may play one role. */
export interface Participant extends AgentIdentity {
  interfaces?: Readonly<Record<string, string>>;
  pool?: string;
}

export interface TestbedRegistry extends Testbeds {
  /** Its devices in the order of the testbed, of pools those that are there; null when it is not known or a role that is needed has none. */
  participantsOf(testbedId: string): readonly Participant[] | null;
  /** Testbed of a device. */
  testbedOf(deviceId: string): string | null;
  ids(): string[];
  /** One of its devices is to get no new runs. */
  isDraining(testbedId: string): boolean;
}

interface TestbedsOptions {
  /** Those there are now, the built-in one first. */
  definitions: () => readonly TestbedDefinition[];
  agents: Pick<Agents, 'find' | 'capabilitiesOf'>;
  leases: Pick<Leases, 'holder'>;
  brokers: Pick<BrokerStore, 'find'>;
  externalDevices: Pick<ExternalDeviceStore, 'find'>;
  isDraining: (deviceId: string) => boolean;
}

/** Every Testbed with what its devices announced and who uses it. */
export function makeTestbeds(options: TestbedsOptions): TestbedRegistry {
  const { definitions, agents, leases, brokers, externalDevices } = options;
  const find = (testbedId: string): TestbedDefinition | undefined =>
    definitions().find((definition) => definition.testbedId === testbedId);
  const statusOf = (definition: TestbedDefinition): TestbedStatus => {
    const { testbedId } = definition;
    const { probing = null, waiting = null } = leases.holder(testbedId) ?? {};
    const draining = definition.devices
      .map(({ deviceId }) => deviceId)
      .filter((deviceId) => options.isDraining(deviceId));
    return {
      ...capabilitiesOf(definition),
      busyWith: busyWith(testbedId),
      ...(probing && { probing }),
      ...(waiting && { waiting }),
      ...(draining.length > 0 && { draining }),
    };
  };
  const capabilitiesOf = ({
    testbedId,
    name,
    devices,
    links,
    pools,
  }: TestbedDefinition): TestbedCapabilities => ({
    testbedId,
    name,
    ...(links && { links: [...links] }),
    ...(pools && pools.length > 0 && { pools: [...pools] }),
    externalBroker: brokers.find(testbedId),
    externalDevice: externalDevices.find(testbedId),
    devices: devices.filter(isThere).map(describeDevice),
  });
  /** Agents of a pool come and go: a testbed is of those that are there. */
  const isThere = ({ pool, deviceId }: DefinedDevice): boolean =>
    pool === undefined || agents.find(deviceId) !== null;
  const describeDevice = ({ standIn, ...device }: DefinedDevice) => {
    const own = agents.find(device.deviceId);
    const standby = own === null && standIn !== undefined;
    const speaker = standby ? standIn : device.deviceId;
    return {
      ...device,
      online: agents.find(speaker) !== null,
      ...(standby && { standby }),
      capabilities: agents.capabilitiesOf(speaker),
    };
  };
  const busyWith = (testbedId: string): number | null => leases.holder(testbedId)?.experimentId ?? null;
  return {
    list: () => definitions().map(statusOf),
    find(testbedId) {
      const definition = find(testbedId);
      return definition ? statusOf(definition) : null;
    },
    capabilities(testbedId) {
      const definition = find(testbedId);
      return definition ? capabilitiesOf(definition) : null;
    },
    participantsOf(testbedId) {
      const { devices = [], links = [] } = find(testbedId) ?? {};
      if (!neededRoles.every((role) => devices.some((device) => device.role === role))) return null;
      return onePerRole(devices.filter(isThere)).map(({ standIn: _, ...device }) => ({
        ...device,
        interfaces: interfacesOf(device, links),
      }));
    },
    testbedOf: (deviceId) =>
      definitions().find(({ devices }) => devices.some((device) => device.deviceId === deviceId))
        ?.testbedId ?? null,
    isDraining: (testbedId) =>
      find(testbedId)?.devices.some(({ deviceId }) => options.isDraining(deviceId)) ?? false,
    ids: () => definitions().map(({ testbedId }) => testbedId),
  };
}

/** Of a role that devices cannot share, and a pool plays: the first. Pure. */
function onePerRole<T extends AgentIdentity>(devices: readonly T[]): T[] {
  const isShared = (role: Role): boolean => sharedRoles.some((shared) => shared === role);
  return devices.filter(
    (device, at) => isShared(device.role) || devices.findIndex(({ role }) => role === device.role) === at,
  );
}

function interfacesOf(
  { deviceId, pool = '' }: DefinedDevice,
  links: readonly TestbedLink[],
): Record<string, string> {
  return Object.fromEntries(
    links.flatMap(({ name, interfaces }) => {
      const own = interfaces[deviceId] ?? interfaces[pool];
      return own === undefined ? [] : [[name, own] as const];
    }),
  );
}
