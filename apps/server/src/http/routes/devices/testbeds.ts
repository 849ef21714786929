import { agentCapabilitiesSchema } from '@mqttlab/shared/domain/devices/capabilities';
import { roles } from '@mqttlab/shared/domain/devices/device';
import { deviceStates } from '@mqttlab/shared/domain/devices/device-health';
import { type ExperimentDraft, experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { deviceSshSchema } from '@mqttlab/shared/messages/devices';
import { preflightSchema, testbedStatusSchema } from '@mqttlab/shared/messages/http';
import { setAsideListSchema } from '@mqttlab/shared/messages/set-aside';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import * as z from 'zod';
import { notFound, unprocessable } from '../../../base/errors.ts';
import { route } from '../../parse-input.ts';
import type { ApiParts } from '../../parts.ts';
import type { Route } from '../../route.ts';
import { untilGone } from '../../until-gone.ts';

const deviceSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  testbedId: z.string(),
  online: z.boolean(),
  state: z.enum(deviceStates),
  /** Why it is not as it should be, in words. */
  reasons: z.array(z.string()),
  /** Last contact, Unix ms; null before its agent ever connected. */
  lastSeenAt: z.number().nullable(),
  capabilities: agentCapabilitiesSchema.nullable(),
  /** null for the devices on the server's own machine. */
  ssh: deviceSshSchema.nullable(),
  /** Results of it that this server refused, oldest first. */
  setAside: setAsideListSchema,
});

/** The plan of a draft as if every known device were online: that is what the pre-flight finds out. */
function planToProbe(parts: ApiParts, testbedId: string, draft: ExperimentDraft): Plan {
  const capabilities = parts.testbeds.capabilities(testbedId);
  if (!capabilities) throw notFound('testbed', testbedId);
  const devices = capabilities.devices.map((device) => ({ ...device, online: true }));
  const name = draft.name.trim() === '' ? 'Untitled' : draft.name;
  const parsed = parsePlan({ ...draft, name, testbedId }, { ...capabilities, devices });
  if (!parsed.ok) throw unprocessable('There is nothing to probe yet.', parsed.issues);
  return parsed.plan;
}

/** Testbeds and their devices. */
export function testbedRoutes(parts: ApiParts): Route[] {
  return [
    route({
      method: 'get',
      path: '/testbeds',
      summary: 'List testbeds with what each device can do',
      access: 'viewer',
      response: {
        kind: 'json',
        status: 200,
        schema: z.strictObject({ items: z.array(testbedStatusSchema) }),
      },
      handle: () => ({ items: parts.testbeds.list() }),
    }),
    route({
      method: 'post',
      path: '/testbeds/{id}/preflight',
      summary: 'Probe every device for this draft, with a fix for each failure',
      access: 'operator',
      params: z.strictObject({ id: z.string().min(1).max(80) }),
      body: experimentDraftSchema,
      response: { kind: 'json', status: 200, schema: preflightSchema },
      handle: ({ params: { id }, body, caller }) => {
        const plan = planToProbe(parts, id, body);
        return untilGone(caller.request.socket, (signal) => parts.preflight(plan, signal));
      },
    }),
    route({
      method: 'get',
      path: '/devices',
      summary: 'List every device that is known, connected or not',
      access: 'viewer',
      response: { kind: 'json', status: 200, schema: z.strictObject({ items: z.array(deviceSchema) }) },
      handle: () => {
        const status = new Map(
          parts.testbeds
            .list()
            .flatMap(({ devices }) => devices.map((device) => [device.deviceId, device] as const)),
        );
        return {
          items: parts.devices
            .list()
            .map(({ id, name, role, testbedId, lastSeenAt, capabilities }) => ({
              id,
              name,
              role,
              testbedId,
              lastSeenAt,
              online: status.get(id)?.online ?? parts.remoteDevices.isOnline(id),
              ...parts.deviceStates.of(id),
              capabilities: status.get(id)?.capabilities ?? capabilities,
              ssh: parts.remoteDevices.about(id),
              setAside: [...parts.setAside.of(id)],
            })),
        };
      },
    }),
  ];
}
