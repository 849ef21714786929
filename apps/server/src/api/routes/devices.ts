import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import { conflict, notFound } from '../../base/errors.ts';
import { AgentError } from '../../devices/agent-link.ts';
import { requireAddress } from '../guards/guards.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';

/** Devices that are added over SSH: their host keys, installation and removal. */
export function deviceRoutes(parts: ApiParts): Route[] {
  const { remoteDevices, importService, enrolments } = parts;
  return [
    on('POST /devices/import', ({ body }) => importService.begin(body)),
    on('GET /devices/import', () => importService.state()),
    on('POST /devices/host-key', ({ body }) => remoteDevices.readHostKey(body)),
    on('POST /devices', ({ body }) => remoteDevices.add(body)),
    on('GET /devices/{id}/installation', ({ params: { id } }) => remoteDevices.installation(id)),
    on('POST /devices/{id}/upgrade', ({ params: { id }, body }) =>
      remoteDevices.upgrade(id, body.sudoPassword),
    ),
    on('POST /devices/{id}/drain', ({ params: { id }, body }) => remoteDevices.drain(id, body.draining)),
    on('PUT /devices/{id}/host-key', ({ params: { id }, body }) => remoteDevices.repin(id, body.fingerprint)),
    on('DELETE /devices/{id}', async ({ params: { id }, body }) => {
      if (parts.devices.find(id)?.pool) {
        if (remoteDevices.isOnline(id)) throw conflict(`${id} is online.`, 'Stop its agent first.');
        parts.devices.remove(id);
        return null;
      }
      if (!body.forget) return remoteDevices.remove(id, body.sudoPassword);
      await remoteDevices.forget(id);
      return null;
    }),
    on('GET /enrolments', () => ({ items: enrolments.list() })),
    on('POST /enrolments', ({ body }) => enrolments.create(body)),
    on('DELETE /enrolments/{id}', ({ params: { id } }) => {
      if (!enrolments.remove(id)) throw notFound('enrolment', id);
    }),
    ...deviceSettingsRoutes(parts),
    ...setAsideRoutes(parts),
  ];
}

/** What a person says about a device: energy source, meter, supply, battery. */
function deviceSettingsRoutes(
  parts: Pick<ApiParts, 'devices' | 'deviceSettings' | 'redial' | 'testbeds'>,
): Route[] {
  const find = (id: string) => {
    const device = parts.devices.find(id);
    if (device === null) throw notFound('device', id);
    return device;
  };
  return [
    on('GET /devices/{id}/settings', ({ params: { id } }) => parts.deviceSettings.find(find(id).id)),
    on('PUT /devices/{id}/settings', async ({ params: { id }, body }) => {
      const meter = URL.parse(body.meterUrl ?? '');
      if (meter) await requireAddress(hostOfUrl(meter), 'meterUrl');
      const { testbedId } = find(id);
      const testbed = parts.testbeds.find(testbedId);
      // Its agent connects anew to hear of them, which no run survives.
      if (testbed && (testbed.busyWith !== null || testbed.probing)) {
        throw conflict(`${id} carries out a run.`, 'Wait until it has ended, then save again.');
      }
      parts.deviceSettings.save(id, body);
      parts.redial(id);
      return parts.deviceSettings.find(id);
    }),
  ];
}

/** Results that this server refused, as their devices keep them. */
function setAsideRoutes({ devices, setAside }: Pick<ApiParts, 'devices' | 'setAside'>): Route[] {
  return [
    on('GET /devices/{id}/set-aside/{name}', async ({ params: { id, name } }) => {
      if (devices.find(id) === null) throw notFound('device', id);
      if (!setAside.of(id).some((result) => result.name === name)) throw notFound('result set aside', name);
      const body = await setAside.fetch(id, name).catch((error: unknown) => {
        if (error instanceof AgentError) throw conflict(error.failure.message, error.failure.remedy);
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
