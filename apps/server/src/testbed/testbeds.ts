import type { TestbedCapabilities } from '@mqttlab/shared/domain/capabilities';
import type { Role } from '@mqttlab/shared/domain/device';
import type { TestbedStatus } from '@mqttlab/shared/protocol/http';
import type { Testbeds } from '../ports.ts';
import type { BrokerStore } from '../store/broker-store.ts';
import type { AgentIdentity, Agents } from './agent-link.ts';
import type { Leases } from './leases.ts';

/** A Testbed as it was set up: which device plays which role. */
export interface TestbedDefinition {
  testbedId: string;
  name: string;
  devices: readonly AgentIdentity[];
}

export type RoleDevices = Readonly<Record<Role, AgentIdentity>>;

export interface TestbedRegistry extends Testbeds {
  /** One device for each role; null when the testbed is not known or a role has none. */
  rolesOf(testbedId: string): RoleDevices | null;
  /** Testbed of a device. */
  testbedOf(deviceId: string): string | null;
  ids(): string[];
}

export interface TestbedsOptions {
  definitions: readonly TestbedDefinition[];
  agents: Pick<Agents, 'find' | 'capabilitiesOf'>;
  leases: Pick<Leases, 'holder'>;
  brokers: Pick<BrokerStore, 'find'>;
}

/** Every Testbed with what its devices announced and who uses it. */
export function makeTestbeds({ definitions, agents, leases, brokers }: TestbedsOptions): TestbedRegistry {
  const find = (testbedId: string): TestbedDefinition | undefined =>
    definitions.find((definition) => definition.testbedId === testbedId);
  const statusOf = ({ testbedId, name, devices }: TestbedDefinition): TestbedStatus => {
    const probing = leases.holder(testbedId)?.probing ?? null;
    return {
      ...capabilitiesOf({ testbedId, name, devices }),
      busyWith: busyWith(testbedId),
      ...(probing && { probing }),
    };
  };
  const capabilitiesOf = ({ testbedId, name, devices }: TestbedDefinition): TestbedCapabilities => ({
    testbedId,
    name,
    externalBroker: brokers.find(testbedId),
    devices: devices.map((device) => ({
      ...device,
      online: agents.find(device.deviceId) !== null,
      capabilities: agents.capabilitiesOf(device.deviceId),
    })),
  });
  const busyWith = (testbedId: string): number | null => leases.holder(testbedId)?.experimentId ?? null;
  return {
    list: () => definitions.map(statusOf),
    find(testbedId) {
      const definition = find(testbedId);
      return definition ? statusOf(definition) : null;
    },
    capabilities(testbedId) {
      const definition = find(testbedId);
      return definition ? capabilitiesOf(definition) : null;
    },
    rolesOf(testbedId) {
      const devices = find(testbedId)?.devices ?? [];
      const [broker, publisher, subscriber] = (['broker', 'publisher', 'subscriber'] as const).map((role) =>
        devices.find((device) => device.role === role),
      );
      return broker && publisher && subscriber ? { broker, publisher, subscriber } : null;
    },
    testbedOf: (deviceId) =>
      definitions.find(({ devices }) => devices.some((device) => device.deviceId === deviceId))?.testbedId ??
      null,
    ids: () => definitions.map(({ testbedId }) => testbedId),
  };
}
