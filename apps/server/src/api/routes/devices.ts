import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import { Failure } from '@mqttlab/shared/kit/failure';
import { conflict, notFound } from '../../base/errors.ts';

import { requireAddress } from '../guards/request-origin.ts';
import { on, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Handles devices that are added over SSH: their host keys, installation and removal. */
export function deviceRoutes(services: Services): Route[] {
  const { remote, imports } = services.devices;
  const { enrolments } = services.stores;
  return [
    on('POST /devices/import', ({ body }) => imports.begin(body)),
    on('GET /devices/import', () => imports.state()),
    on('POST /devices/host-key', ({ body }) => remote.readHostKey(body)),
    on('POST /devices', ({ body }) => remote.add(body)),
    on('GET /devices/{id}/installation', ({ params: { id } }) => remote.installation(id)),
    on('POST /devices/{id}/upgrade', ({ params: { id }, body }) => remote.upgrade(id, body.sudoPassword)),
    on('POST /devices/{id}/drain', ({ params: { id }, body }) => remote.drain(id, body.draining)),
    on('PUT /devices/{id}/host-key', ({ params: { id }, body }) => remote.repin(id, body.fingerprint)),
    on('DELETE /devices/{id}', async ({ params: { id }, body }) => {
      if (services.stores.devices.findDevice(id)?.pool) {
        if (remote.isOnline(id)) throw conflict(`${id} is online.`, 'Stop its agent first.');
        services.stores.devices.removeDevice(id);
        return null;
      }
      if (!body.forget) return remote.remove(id, body.sudoPassword);
      await remote.forget(id);
      return null;
    }),
    on('GET /enrolments', () => ({ items: enrolments.listEnrolments() })),
    on('POST /enrolments', ({ body }) => enrolments.createEnrolment(body)),
    on('DELETE /enrolments/{id}', ({ params: { id } }) => {
      if (!enrolments.removeEnrolment(id)) throw notFound('enrolment', id);
    }),
    ...deviceSettingsRoutes(services),
    ...setAsideRoutes(services),
  ];
}

/** Handles user settings for devices: energy source, meter, supply, battery. */
function deviceSettingsRoutes(services: Pick<Services, 'stores' | 'devices'>): Route[] {
  const find = (id: string) => {
    const device = services.stores.devices.findDevice(id);
    if (device === null) throw notFound('device', id);
    return device;
  };
  return [
    on('GET /devices/{id}/settings', ({ params: { id } }) =>
      services.stores.deviceSettings.findDeviceSettings(find(id).id),
    ),
    on('PUT /devices/{id}/settings', async ({ params: { id }, body }) => {
      const meter = URL.parse(body.meterUrl ?? '');
      if (meter) await requireAddress(hostOfUrl(meter), 'meterUrl');
      const { testbedId } = find(id);
      const testbed = services.devices.testbeds.findTestbed(testbedId);
      // The agent reconnects to receive the settings, which would end a run.
      if (testbed && (testbed.busyWith !== null || testbed.probing)) {
        throw conflict(`${id} is executing a run.`, 'Wait until the run has ended, then save again.');
      }
      services.stores.deviceSettings.saveDeviceSettings(id, body);
      services.devices.agents.reconnectAgent(id);
      return services.stores.deviceSettings.findDeviceSettings(id);
    }),
  ];
}

/** Returns results that this server refused and devices still store. */
function setAsideRoutes({
  stores: { devices },
  devices: { agents },
}: Pick<Services, 'stores' | 'devices'>): Route[] {
  return [
    on('GET /devices/{id}/set-aside/{name}', async ({ params: { id, name } }) => {
      if (devices.findDevice(id) === null) throw notFound('device', id);
      if (!agents.listSetAside(id).some((result) => result.name === name))
        throw notFound('result set aside', name);
      const body = await agents.fetchSetAside(id, name).catch((error: unknown) => {
        if (error instanceof Failure) throw conflict(error.message, error.remedy);
        throw error;
      });
      if (body === null) {
        throw conflict(
          `${id} is offline, or no longer has the result.`,
          'Try again when the device is online.',
        );
      }
      return { name: `${name}.json`, body };
    }),
  ];
}
