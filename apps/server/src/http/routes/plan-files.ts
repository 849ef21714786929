import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { experimentDetailSchema } from '@mqttlab/shared/domain/runs/experiment';
import { importPlanSchema, planCheckSchema } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { checkPlan } from '../../analysis/check-plan.ts';
import { fileNameOf } from '../file-name.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import { makePlanFile, takePlanFile } from '../plan-file.ts';
import type { Route } from '../route.ts';
import { createExperiment, recordOf } from '../start-experiment.ts';

const params = z.strictObject({ id: idParam });
const contentTypes = { yaml: 'application/yaml', json: 'application/json' } as const;

/** Plans: check a draft, export and import it as a file. */
export function planRoutes(parts: ApiParts): Route[] {
  return [
    route({
      method: 'post',
      path: '/plan/check',
      summary: 'Say what a draft would become: issues, treatments, cost, resolution',
      access: 'viewer',
      body: experimentDraftSchema,
      response: { kind: 'json', status: 200, schema: planCheckSchema },
      handle: async ({ body }) => {
        const unknown = { testbedId: '', name: 'no testbed', externalBroker: null, devices: [] };
        const capabilities = parts.testbeds.capabilities(body.testbedId) ?? unknown;
        const diskFreeBytes = await parts.diskFreeBytes();
        return checkPlan(parts, body, { capabilities, diskFreeBytes, now: parts.now() });
      },
    }),
    route({
      method: 'post',
      path: '/experiments/import',
      summary: 'Make an experiment of a plan file, YAML or JSON',
      access: 'operator',
      body: importPlanSchema,
      response: { kind: 'json', status: 201, schema: experimentDetailSchema },
      handle: async ({ body: { text, start } }) =>
        createExperiment(parts, await takePlanFile(text), { start }),
    }),
    ...(['yaml', 'json'] as const).map((format) =>
      route({
        method: 'get',
        path: `/experiments/{id}/plan.${format}`,
        summary: `Export the plan as ${format.toUpperCase()}, to keep and to import`,
        access: 'viewer',
        params,
        response: { kind: 'file', contentType: contentTypes[format] },
        handle: ({ params: { id } }) => {
          const { draft } = recordOf(parts, id, { live: false });
          const name = fileNameOf(`E-${id}`, draft.name, format);
          return { name, contentType: contentTypes[format], body: makePlanFile(draft, format) };
        },
      }),
    ),
  ];
}
