import { runSummarySchema } from '@mqttlab/shared/domain/runs/run';
import { patchRunSchema } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { refreshHeadline } from '../../analysis/finish-run.ts';
import { conflict, notFound } from '../../base/errors.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { tellExperiment } from '../start-experiment.ts';

/** What people say about a Run; its data stay as they are. */
export function runNoteRoutes(parts: ApiParts): Route[] {
  return [
    route({
      method: 'patch',
      path: '/runs/{id}',
      summary:
        'Write notes and tags on a run, or leave it out of analysis with a reason; null takes it in again',
      access: 'operator',
      params: z.strictObject({ id: idParam }),
      body: patchRunSchema,
      response: { kind: 'json', status: 200, schema: runSummarySchema },
      handle: ({ params: { id }, body: { notes, tags, exclusion } }) => {
        const run = parts.runs.find(id);
        if (!run) throw notFound('run', id);
        if (exclusion && run.status !== 'done') {
          throw conflict(`Run ${id} is ${run.status}: it is in no analysis.`, 'Exclude finished runs only.');
        }
        parts.runs.update(id, {
          ...(notes === undefined ? {} : { notes }),
          ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
          ...(exclusion === undefined
            ? {}
            : { exclusion: exclusion === null ? null : { reason: exclusion.reason, at: parts.now() } }),
        });
        if (exclusion !== undefined) refreshHeadline(parts, run.experimentId);
        const changed = parts.runs.find(id) ?? run;
        parts.bus.publish({ event: 'run', experimentId: run.experimentId, runId: id, data: changed });
        tellExperiment(parts, run.experimentId);
        return changed;
      },
    }),
  ];
}
