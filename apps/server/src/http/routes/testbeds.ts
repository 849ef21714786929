import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { notFound, unprocessable } from '../../base/errors.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';
import { untilGone } from '../send.ts';
import { externalBrokerRoutes, externalDeviceRoutes } from './external-parts.ts';

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
    on('GET /testbeds', () => ({ items: parts.testbeds.list() })),
    on('POST /testbeds/{id}/preflight', ({ params: { id }, body, caller }) => {
      const plan = planToProbe(parts, id, body);
      return untilGone(caller.request.socket, (signal) => parts.preflight(plan, signal));
    }),
    on('GET /devices', () => {
      const status = new Map(
        parts.testbeds
          .list()
          .flatMap(({ devices }) => devices.map((device) => [device.deviceId, device] as const)),
      );
      return {
        items: parts.devices
          .list()
          .map(({ id, name, role, testbedId, pool, lastSeenAt, capabilities }) => ({
            id,
            name,
            role,
            testbedId,
            ...(pool && { pool }),
            lastSeenAt,
            online: status.get(id)?.online ?? parts.remoteDevices.isOnline(id),
            ...parts.deviceStates.of(id),
            capabilities: status.get(id)?.capabilities ?? capabilities,
            ssh: parts.remoteDevices.about(id),
            setAside: [...parts.setAside.of(id)],
          })),
      };
    }),
    ...testbedServiceRoutes(parts),
    ...externalBrokerRoutes(parts),
    ...externalDeviceRoutes(parts),
  ];
}

/** Testbeds of devices that were added: roles and named links. */
function testbedServiceRoutes({ testbedService, testbeds }: ApiParts): Route[] {
  const show = (testbedId: string) => {
    const status = testbeds.find(testbedId);
    if (status === null) throw notFound('testbed', testbedId);
    return status;
  };
  return [
    on('POST /testbeds', ({ body }) => show(testbedService.create(body))),
    on('PUT /testbeds/{id}', ({ params: { id }, body }) => {
      testbedService.change(id, body);
      return show(id);
    }),
    on('DELETE /testbeds/{id}', ({ params: { id } }) => testbedService.remove(id)),
  ];
}
