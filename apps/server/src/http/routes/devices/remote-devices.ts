import { deviceIdSchema, saveTestbedSchema } from '@mqttlab/shared/messages/devices';
import { testbedStatusSchema } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { notFound } from '../../../base/errors.ts';
import { route } from '../../parse-input.ts';
import type { ApiParts } from '../../parts.ts';
import type { Route } from '../../route.ts';

const params = z.strictObject({ id: deviceIdSchema });

/** Testbeds of devices that were added: roles and named links. */
export function testbedServiceRoutes({ testbedService, testbeds }: ApiParts): Route[] {
  const show = (testbedId: string) => {
    const status = testbeds.find(testbedId);
    if (status === null) throw notFound('testbed', testbedId);
    return status;
  };
  return [
    route({
      method: 'post',
      path: '/testbeds',
      summary: 'Set up a testbed: which device plays which role, and which interfaces make a link',
      access: 'administrator',
      body: saveTestbedSchema,
      response: { kind: 'json', status: 201, schema: testbedStatusSchema },
      handle: ({ body }) => show(testbedService.create(body)),
    }),
    route({
      method: 'put',
      path: '/testbeds/{id}',
      summary: 'Change roles and links of a testbed that is not in use',
      access: 'administrator',
      params,
      body: saveTestbedSchema,
      response: { kind: 'json', status: 200, schema: testbedStatusSchema },
      handle: ({ params: { id }, body }) => {
        testbedService.change(id, body);
        return show(id);
      },
    }),
    route({
      method: 'delete',
      path: '/testbeds/{id}',
      summary: 'Dissolve a testbed that is not in use; its devices stay',
      access: 'administrator',
      params,
      response: { kind: 'nothing' },
      handle: ({ params: { id } }) => testbedService.remove(id),
    }),
  ];
}
