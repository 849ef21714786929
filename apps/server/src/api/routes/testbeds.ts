import {
  type ExternalBroker,
  type ExternalBrokerSettings,
  isSamePlace,
} from '@mqttlab/shared/domain/devices/external-broker';
import type { ExternalDeviceAccess } from '@mqttlab/shared/domain/devices/external-device';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { conflict, notFound, unprocessable } from '../../base/errors.ts';
import { brokerServerName } from '../../provisioning/certificates.ts';
import { requireAddress } from '../guards/request-origin.ts';
import { on, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/**
 * Returns the plan of a draft as if every known device were online. The pre-flight then checks the devices.
 */
function planToProbe(services: Services, testbedId: string, draft: ExperimentDraft): Plan {
  const capabilities = services.devices.testbeds.findTestbedCapabilities(testbedId);
  if (!capabilities) throw notFound('testbed', testbedId);
  const devices = capabilities.devices.map((device) => ({ ...device, online: true }));
  const name = draft.name.trim() === '' ? 'Untitled' : draft.name;
  const parsed = parsePlan({ ...draft, name, testbedId }, { ...capabilities, devices });
  if (!parsed.ok) throw unprocessable('There is nothing to probe yet.', parsed.issues);
  return parsed.plan;
}

/** Testbeds and their devices. */
export function testbedRoutes(services: Services): Route[] {
  return [
    on('GET /testbeds', () => ({ items: services.devices.testbeds.listTestbeds() })),
    on('POST /testbeds/{id}/preflight', ({ params: { id }, body, caller }) => {
      const plan = planToProbe(services, id, body);
      return services.devices.preflight(plan, caller.signal);
    }),
    on('GET /devices', () => {
      const status = new Map(
        services.devices.testbeds
          .listTestbeds()
          .flatMap(({ devices }) => devices.map((device) => [device.deviceId, device] as const)),
      );
      return {
        items: services.stores.devices
          .listDevices()
          .map(({ id, name, role, testbedId, pool, lastSeenAt, capabilities }) => ({
            id,
            name,
            role,
            testbedId,
            ...(pool && { pool }),
            lastSeenAt,
            online: status.get(id)?.online ?? services.devices.remote.isOnline(id),
            ...services.devices.states.findDeviceStatus(id),
            health: services.devices.states.findHealthReading(id),
            capabilities: status.get(id)?.capabilities ?? capabilities,
            ssh: services.devices.remote.about(id),
            setAside: [...services.devices.agents.listSetAside(id)],
          })),
      };
    }),
    ...testbedServiceRoutes(services),
    ...externalBrokerRoutes(services),
    ...externalDeviceRoutes(services),
  ];
}

/** Handles testbeds of added devices: roles and named links. */
function testbedServiceRoutes({ devices: { setup, testbeds } }: Services): Route[] {
  const show = (testbedId: string) => {
    const status = testbeds.findTestbed(testbedId);
    if (status === null) throw notFound('testbed', testbedId);
    return status;
  };
  return [
    on('POST /testbeds', ({ body }) => show(setup.createTestbed(body))),
    on('PUT /testbeds/{id}', ({ params: { id }, body }) => {
      setup.changeTestbed(id, body);
      return show(id);
    }),
    on('DELETE /testbeds/{id}', ({ params: { id } }) => setup.deleteTestbed(id)),
  ];
}

/**
 * Throws a 422 problem if the password must be entered again: it belongs to the configured broker and is not
 * sent to another address.
 */
function requirePassword(wanted: ExternalBrokerSettings, stored: ExternalBroker | null): void {
  if (wanted.password !== undefined || wanted.username === null || stored?.hasPassword !== true) return;
  if (isSamePlace(stored, wanted)) return;
  const reason = 'is needed again because the address, port or CA certificate has changed';
  const remedy = 'Send the password of the new broker, or null for none.';
  throw unprocessable('The broker cannot be changed.', [{ field: 'password', reason, remedy }]);
}

/** Guards changes to a testbed: refuses them while it is in use, and notifies the pages afterwards. */
function testbedOf({ devices: { testbeds }, live }: Services) {
  return {
    requireFree(id: string): void {
      const testbed = testbeds.findTestbed(id);
      if (!testbed) throw notFound('testbed', id);
      if (testbed.busyWith === null) return;
      throw conflict(
        `${testbed.name} is running experiment ${testbed.busyWith}.`,
        'Wait until it is finished, or pause it, then make this change.',
      );
    },
    publishTestbed(id: string): void {
      const data = testbeds.findTestbed(id);
      if (data) live.publish({ event: 'testbed', experimentId: null, runId: null, data });
    },
  };
}

/** Handles brokers that mqttlab does not start itself. */
function externalBrokerRoutes(services: Services): Route[] {
  const { brokers } = services.stores;
  const { requireFree, publishTestbed } = testbedOf(services);
  return [
    on('GET /testbeds/{id}/external-broker', ({ params: { id } }) => {
      const broker = brokers.findExternalBroker(id);
      if (!broker) throw notFound('external broker of testbed', id);
      return broker;
    }),
    on('PUT /testbeds/{id}/external-broker', async ({ params: { id }, body }) => {
      await requireAddress(body.address, 'address');
      requireFree(id);
      requirePassword(body, brokers.findExternalBroker(id));
      const saved = brokers.saveExternalBroker(id, body);
      publishTestbed(id);
      return saved;
    }),
    on('DELETE /testbeds/{id}/external-broker', ({ params: { id } }) => {
      requireFree(id);
      if (!brokers.removeExternalBroker(id)) throw notFound('external broker of testbed', id);
      publishTestbed(id);
    }),
  ];
}

/** Handles the external device of a testbed: a publisher or subscriber that cannot run the agent. */
function externalDeviceRoutes(services: Services): Route[] {
  const { externalDevices } = services.stores;
  const { testbeds, certificates } = services.devices;
  const { requireFree, publishTestbed } = testbedOf(services);
  const accessTo = async (id: string): Promise<ExternalDeviceAccess> => {
    const [device, secrets, testbed] = [
      externalDevices.findExternalDevice(id),
      externalDevices.findDeviceSecrets(id),
      testbeds.findTestbedCapabilities(id),
    ];
    if (!device || !secrets || !testbed) throw notFound('external device of testbed', id);
    // The certificate authority signs certificates of every kind.
    const order = { testbedId: id, kind: 'ECDSA P-256', chainLength: 1, addresses: [] } as const;
    const { authority } = await certificates.forBroker(order);
    const addresses = makeTestbedView(testbed).links.map(({ name, address }) => ({ link: name, address }));
    return { device, ...secrets, authority, serverName: brokerServerName, addresses };
  };
  return [
    on('GET /testbeds/{id}/external-device', ({ params: { id } }) => accessTo(id)),
    on('PUT /testbeds/{id}/external-device', ({ params: { id }, body }) => {
      requireFree(id);
      externalDevices.saveExternalDevice(id, body);
      publishTestbed(id);
      return accessTo(id);
    }),
    on('DELETE /testbeds/{id}/external-device', ({ params: { id } }) => {
      requireFree(id);
      if (!externalDevices.removeExternalDevice(id)) throw notFound('external device of testbed', id);
      publishTestbed(id);
    }),
  ];
}
