import {
  addDeviceSchema,
  changeDeviceSchema,
  deviceIdSchema,
  drainDeviceSchema,
  hostKeyAnswerSchema,
  hostKeyRequestSchema,
  installationSchema,
  removeDeviceSchema,
  repinDeviceSchema,
} from '@mqttlab/shared/messages/devices';
import { importDevicesSchema, importStateSchema } from '@mqttlab/shared/messages/inventory';
import * as z from 'zod';
import { route } from '../../parse-input.ts';
import type { ApiParts } from '../../parts.ts';
import type { Route } from '../../route.ts';

const params = z.strictObject({ id: deviceIdSchema });
const installation = { kind: 'json', status: 200, schema: installationSchema } as const;

/** Devices that are added over SSH: their host keys, installation and removal. */
export function deviceRoutes({
  remoteDevices,
  importService,
}: Pick<ApiParts, 'remoteDevices' | 'importService'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/devices/import',
      summary: 'Install the agent on every device of an inventory, then make a testbed of them',
      access: 'administrator',
      body: importDevicesSchema,
      response: { kind: 'json', status: 201, schema: importStateSchema },
      handle: ({ body }) => importService.begin(body),
    }),
    route({
      method: 'get',
      path: '/devices/import',
      summary: 'How far the last import of an inventory is',
      access: 'viewer',
      response: { kind: 'json', status: 200, schema: importStateSchema },
      handle: () => importService.state(),
    }),
    route({
      method: 'post',
      path: '/devices/host-key',
      summary: 'Show the host key of an SSH server, to be compared before it is trusted; nobody is logged in',
      access: 'administrator',
      body: hostKeyRequestSchema,
      response: { kind: 'json', status: 200, schema: hostKeyAnswerSchema },
      handle: ({ body }) => remoteDevices.readHostKey(body),
    }),
    route({
      method: 'post',
      path: '/devices',
      summary: 'Install the agent on a device; sent again, it goes on where the last attempt ended',
      access: 'administrator',
      body: addDeviceSchema,
      response: { kind: 'json', status: 201, schema: installationSchema },
      handle: ({ body }) => remoteDevices.add(body),
    }),
    route({
      method: 'get',
      path: '/devices/{id}/installation',
      summary: 'What was done on a device last, step by step',
      access: 'viewer',
      params,
      response: installation,
      handle: ({ params: { id } }) => remoteDevices.installation(id),
    }),
    route({
      method: 'post',
      path: '/devices/{id}/upgrade',
      summary: 'Bring agent and Node on a device to those of this server',
      access: 'administrator',
      params,
      body: changeDeviceSchema,
      response: installation,
      handle: ({ params: { id }, body }) => remoteDevices.upgrade(id, body.sudoPassword),
    }),
    route({
      method: 'post',
      path: '/devices/{id}/drain',
      summary: 'Give a device no new runs, or give it runs again',
      access: 'operator',
      params,
      body: drainDeviceSchema,
      response: { kind: 'nothing' },
      handle: ({ params: { id }, body }) => remoteDevices.drain(id, body.draining),
    }),
    route({
      method: 'put',
      path: '/devices/{id}/host-key',
      summary: 'Trust another host key, after the system of the device was installed anew',
      access: 'administrator',
      params,
      body: repinDeviceSchema,
      response: { kind: 'nothing' },
      handle: ({ params: { id }, body }) => remoteDevices.repin(id, body.fingerprint),
    }),
    route({
      method: 'delete',
      path: '/devices/{id}',
      summary: 'Remove the agent without a trace, or only forget a device that cannot be reached any more',
      access: 'administrator',
      params,
      body: removeDeviceSchema,
      response: { kind: 'json', status: 200, schema: installationSchema.nullable() },
      handle: async ({ params: { id }, body }) => {
        if (!body.forget) return remoteDevices.remove(id, body.sudoPassword);
        await remoteDevices.forget(id);
        return null;
      },
    }),
  ];
}
