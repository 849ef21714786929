import {
  type ExternalBroker,
  type ExternalBrokerSettings,
  externalBrokerSchema,
  externalBrokerSettingsSchema,
  isSamePlace,
} from '@mqttlab/shared/domain/devices/external-broker';
import * as z from 'zod';
import { conflict, notFound, unprocessable } from '../../../base/errors.ts';
import { requireAddress } from '../../guards/require-address.ts';
import { route } from '../../parse-input.ts';
import type { ApiParts } from '../../parts.ts';
import type { Route } from '../../route.ts';

const params = z.strictObject({ id: z.string().min(1).max(80) });
const path = '/testbeds/{id}/external-broker';

/** The password was given for where the broker was: it is not sent anywhere else without being given again. */
function requirePassword(wanted: ExternalBrokerSettings, stored: ExternalBroker | null): void {
  if (wanted.password !== undefined || wanted.username === null || stored?.hasPassword !== true) return;
  if (isSamePlace(stored, wanted)) return;
  const reason = 'is needed again: address, port or authority are not those that it was given for';
  const remedy = 'Give the password for the broker that is there now, or null for none.';
  throw unprocessable('The broker cannot be changed.', [{ field: 'password', reason, remedy }]);
}

/** The broker of a testbed that somebody else runs. */
export function externalBrokerRoutes(parts: ApiParts): Route[] {
  const { brokers, testbeds, bus } = parts;
  const requireTestbed = (id: string) => {
    const testbed = testbeds.find(id);
    if (!testbed) throw notFound('testbed', id);
    if (testbed.busyWith !== null) {
      throw conflict(
        `${testbed.name} is carrying out experiment ${testbed.busyWith}.`,
        'Wait until it is finished, or pause it, then change the broker.',
      );
    }
  };
  const tell = (id: string): void => {
    const data = testbeds.find(id);
    if (data) bus.publish({ event: 'testbed', experimentId: null, runId: null, data });
  };
  return [
    route({
      method: 'get',
      path,
      summary: 'Show the external broker of a testbed, without its password',
      access: 'viewer',
      params,
      response: { kind: 'json', status: 200, schema: externalBrokerSchema },
      handle: ({ params: { id } }) => {
        const broker = brokers.find(id);
        if (!broker) throw notFound('external broker of testbed', id);
        return broker;
      },
    }),
    route({
      method: 'put',
      path,
      summary:
        'Set the external broker of a testbed; a password that is left out stays, unless the broker is elsewhere',
      access: 'administrator',
      params,
      body: externalBrokerSettingsSchema,
      response: { kind: 'json', status: 200, schema: externalBrokerSchema },
      handle: async ({ params: { id }, body }) => {
        requireTestbed(id);
        requirePassword(body, brokers.find(id));
        await requireAddress(body.address, 'address');
        const saved = brokers.save(id, body);
        tell(id);
        return saved;
      },
    }),
    route({
      method: 'delete',
      path,
      summary: 'Forget the external broker of a testbed; nothing happens to the broker itself',
      access: 'administrator',
      params,
      response: { kind: 'nothing' },
      handle: ({ params: { id } }) => {
        requireTestbed(id);
        if (!brokers.remove(id)) throw notFound('external broker of testbed', id);
        tell(id);
      },
    }),
  ];
}
