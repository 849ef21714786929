import { deviceIdSchema } from '@mqttlab/shared/messages/devices';
import * as z from 'zod';
import { conflict, notFound } from '../../../base/errors.ts';
import { AgentError } from '../../../testbed/agent-link.ts';
import { route } from '../../parse-input.ts';
import type { ApiParts } from '../../parts.ts';
import type { Route } from '../../route.ts';

const contentType = 'application/json';

/** Results that this server refused, as their devices keep them. */
export function setAsideRoutes({ devices, setAside }: Pick<ApiParts, 'devices' | 'setAside'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/devices/{id}/set-aside/{name}',
      summary: 'Save a result that this server refused, from the device that keeps it',
      access: 'viewer',
      params: z.strictObject({ id: deviceIdSchema, name: z.string().min(1).max(80) }),
      response: { kind: 'file', contentType },
      handle: async ({ params: { id, name } }) => {
        if (devices.find(id) === null) throw notFound('device', id);
        if (!setAside.of(id).some((result) => result.name === name)) throw notFound('result set aside', name);
        const body = await setAside.fetch(id, name).catch((error: unknown) => {
          if (error instanceof AgentError) throw conflict(error.failure.message, error.failure.remedy);
          throw error;
        });
        if (body === null) {
          throw conflict(
            `${id} is offline, or has the result no more.`,
            'Try again when the device is online.',
          );
        }
        return { name: `${name}.json`, contentType, body };
      },
    }),
  ];
}
