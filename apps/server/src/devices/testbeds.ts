import type { BrokerPorts } from '@mqttlab/shared/domain/devices/broker-ports';
import type {
  TestbedCapabilities,
  TestbedLink,
  TestbedPool,
} from '@mqttlab/shared/domain/devices/capabilities';
import { neededRoles, type Role, sharedRoles } from '@mqttlab/shared/domain/devices/device';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { ServerEvents } from '../base/events.ts';
import type { Stores } from '../store/stores.ts';
import type { AgentHub } from './agent-hub.ts';
import type { AgentIdentity } from './agent-link.ts';

export interface DefinedDevice extends AgentIdentity {
  /**
   * The device's agent is started when a run first needs it; until then `standIn`, another device on its
   * machine, reports for it.
   */
  standIn?: string;
  /** Pool in which the device enrolled; runs use the devices in a pool that are online. */
  pool?: string;
}

/** A testbed definition: the role of each device. */
export interface TestbedDefinition {
  testbedId: string;
  name: string;
  devices: readonly DefinedDevice[];
  /** Named links; if omitted, every interface of the broker's device is a link. */
  links?: readonly TestbedLink[];
  pools?: readonly TestbedPool[];
  /** Ports of the brokers in its runs; any free port if omitted or null. */
  brokerPorts?: BrokerPorts | null;
}

/**
 * A device in its role, with the interface that it uses for each named link. Several devices may share a
 * role.
 */
export interface Participant extends AgentIdentity {
  interfaces?: Readonly<Record<string, string>>;
  pool?: string;
}

/**
 * The built-in testbed: agents on the server's machine. The agents for a bridge start when a run needs them.
 */
export const localTestbed = {
  testbedId: 'local',
  name: 'This machine',
  devices: [
    { deviceId: 'local-broker', name: 'local-broker', role: 'broker' },
    { deviceId: 'local-publisher', name: 'local-publisher', role: 'publisher' },
    { deviceId: 'local-subscriber', name: 'local-subscriber', role: 'subscriber' },
    { deviceId: 'local-bridge', name: 'local-bridge', role: 'bridge', standIn: 'local-publisher' },
    {
      deviceId: 'local-cloud-broker',
      name: 'local-cloud-broker',
      role: 'cloud-broker',
      standIn: 'local-broker',
    },
  ],
} as const satisfies TestbedDefinition;

/** Number of tested ways to connect, and the total number. */
export type Probing = NonNullable<TestbedStatus['probing']>;

/** Devices that may have results of these runs, and the end of the wait in Unix ms. */
type Waiting = NonNullable<TestbedStatus['waiting']>;

interface LeaseHolder {
  /** null: a pre-flight. */
  experimentId: number | null;
  /** Progress of a pre-flight; null before it is known. */
  probing: Probing | null;
  /** Devices that a queue is waiting for; null if there are none. */
  waiting: Waiting | null;
}

export type Testbeds = ReturnType<typeof makeTestbeds>;
export type Lease = NonNullable<ReturnType<Testbeds['leaseTestbed']>>;

interface TestbedsOptions {
  stores: Pick<Stores, 'testbeds' | 'sshDevices' | 'brokers' | 'externalDevices'>;
  agents: Pick<AgentHub, 'findAgent' | 'findCapabilities'>;
  events: ServerEvents;
}

/**
 * Manages all testbeds with their devices' capabilities and their users. Each testbed is leased to one
 * experiment or pre-flight at a time. Each change of a lease emits `testbed-changed`.
 */
export function makeTestbeds({ stores, agents, events }: TestbedsOptions) {
  const holders = new Map<string, LeaseHolder>();
  const definitions = (): readonly TestbedDefinition[] => [
    localTestbed,
    ...stores.testbeds.listTestbedRecords(),
  ];
  const find = (testbedId: string): TestbedDefinition | undefined =>
    definitions().find((definition) => definition.testbedId === testbedId);
  const isDeviceDraining = (deviceId: string): boolean =>
    stores.sshDevices.findSshDevice(deviceId)?.draining ?? false;
  const testbedOf = (deviceId: string): string | null =>
    definitions().find(({ devices }) => devices.some((device) => device.deviceId === deviceId))?.testbedId ??
    null;
  const statusOf = (definition: TestbedDefinition): TestbedStatus => {
    const { testbedId } = definition;
    const { experimentId: busyWith = null, probing = null, waiting = null } = holders.get(testbedId) ?? {};
    const draining = definition.devices.map(({ deviceId }) => deviceId).filter(isDeviceDraining);
    return {
      ...capabilitiesOf(definition),
      busyWith,
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
    brokerPorts,
  }: TestbedDefinition): TestbedCapabilities => ({
    testbedId,
    name,
    ...(links && { links: [...links] }),
    ...(pools && pools.length > 0 && { pools: [...pools] }),
    ...(brokerPorts && { brokerPorts }),
    externalBroker: stores.brokers.findExternalBroker(testbedId),
    externalDevice: stores.externalDevices.findExternalDevice(testbedId),
    devices: devices.filter(isOnlineOrFixed).map(describeDevice),
  });
  /** Agents in a pool connect and disconnect at any time; a testbed uses the agents that are online. */
  const isOnlineOrFixed = ({ pool, deviceId }: DefinedDevice): boolean =>
    pool === undefined || agents.findAgent(deviceId) !== null;
  const describeDevice = ({ standIn, ...device }: DefinedDevice) => {
    const own = agents.findAgent(device.deviceId);
    const standby = own === null && standIn !== undefined;
    const reporter = standby ? standIn : device.deviceId;
    return {
      ...device,
      online: agents.findAgent(reporter) !== null,
      ...(standby && { standby }),
      capabilities: agents.findCapabilities(reporter),
    };
  };
  return {
    listTestbeds: (): TestbedStatus[] => definitions().map(statusOf),
    findTestbed(testbedId: string): TestbedStatus | null {
      const definition = find(testbedId);
      return definition ? statusOf(definition) : null;
    },
    findTestbedCapabilities(testbedId: string): TestbedCapabilities | null {
      const definition = find(testbedId);
      return definition ? capabilitiesOf(definition) : null;
    },
    /**
     * Returns the devices in the order of the testbed; from pools, only devices that are online. Returns null
     * if the testbed is unknown or a required role has no device.
     */
    listParticipants(testbedId: string): readonly Participant[] | null {
      const { devices = [], links = [] } = find(testbedId) ?? {};
      if (!neededRoles.every((role) => devices.some((device) => device.role === role))) return null;
      return onePerRole(devices.filter(isOnlineOrFixed)).map(({ standIn: _, ...device }) => ({
        ...device,
        interfaces: interfacesOf(device, links),
      }));
    },
    findTestbedOf: testbedOf,
    /** Returns true if one of the testbed's devices accepts no new runs. */
    isDraining: (testbedId: string): boolean =>
      find(testbedId)?.devices.some(({ deviceId }) => isDeviceDraining(deviceId)) ?? false,
    /** Returns true while an experiment or a pre-flight is using the testbed of this device. */
    isInUse: (deviceId: string): boolean => holders.has(testbedOf(deviceId) ?? ''),
    isLeased: (testbedId: string): boolean => holders.has(testbedId),
    /** Reserves a testbed for an experiment, or for a pre-flight (null). Returns null while it is in use. */
    leaseTestbed(testbedId: string, experimentId: number | null) {
      if (holders.has(testbedId)) return null;
      const holder: LeaseHolder = { experimentId, probing: null, waiting: null };
      const changed = (): void => void events.emit('testbed-changed', testbedId);
      holders.set(testbedId, holder);
      changed();
      return {
        experimentId,
        showProbing(probing: Probing): void {
          holder.probing = probing;
          changed();
        },
        showWaiting(waiting: Waiting | null): void {
          if (holder.waiting === waiting) return;
          holder.waiting = waiting;
          changed();
        },
        release(): void {
          if (holders.get(testbedId) !== holder) return;
          holders.delete(testbedId);
          changed();
        },
      };
    },
    listTestbedIds: (): string[] => definitions().map(({ testbedId }) => testbedId),
  };
}

/** Returns only the first device of each role that does not allow several devices. Pure. */
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
