import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import { deviceSettingsSchema } from '@mqttlab/shared/messages/device-settings';
import { deviceIdSchema } from '@mqttlab/shared/messages/devices';
import * as z from 'zod';
import { conflict, notFound } from '../../../base/errors.ts';
import { requireAddress } from '../../guards/require-address.ts';
import { route } from '../../parse-input.ts';
import type { ApiParts } from '../../parts.ts';
import type { Route } from '../../route.ts';

const params = z.strictObject({ id: deviceIdSchema });
const settings = { kind: 'json', status: 200, schema: deviceSettingsSchema } as const;

/** What a person says about a device: energy source, meter, supply, battery. */
export function deviceSettingsRoutes(
  parts: Pick<ApiParts, 'devices' | 'deviceSettings' | 'redial' | 'testbeds'>,
): Route[] {
  const find = (id: string) => {
    const device = parts.devices.find(id);
    if (device === null) throw notFound('device', id);
    return device;
  };
  return [
    route({
      method: 'get',
      path: '/devices/{id}/settings',
      summary: 'Energy source, meter, supply and battery of a device, as somebody said',
      access: 'viewer',
      params,
      response: settings,
      handle: ({ params: { id } }) => parts.deviceSettings.find(find(id).id),
    }),
    route({
      method: 'put',
      path: '/devices/{id}/settings',
      summary: 'Say which energy source a device uses, where its meter is, its supply and battery',
      access: 'administrator',
      params,
      body: deviceSettingsSchema,
      response: settings,
      handle: async ({ params: { id }, body }) => {
        const { testbedId } = find(id);
        const meter = URL.parse(body.meterUrl ?? '');
        if (meter) await requireAddress(hostOfUrl(meter), 'meterUrl');
        const testbed = parts.testbeds.find(testbedId);
        // Its agent connects anew to hear of them, which no run survives.
        if (testbed && (testbed.busyWith !== null || testbed.probing)) {
          throw conflict(`${id} carries out a run.`, 'Wait until it has ended, then save again.');
        }
        parts.deviceSettings.save(id, body);
        parts.redial(id);
        return parts.deviceSettings.find(id);
      },
    }),
  ];
}
