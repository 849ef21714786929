import { experimentDetailSchema } from '@mqttlab/shared/domain/runs/experiment';
import { type ExperimentAction, experimentActions } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { conflict, notFound } from '../../base/errors.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import {
  createExperiment,
  detailOf,
  recordOf,
  startExperiment,
  tellExperiment,
} from '../start-experiment.ts';

const nameLimit = 200;

/** What can be done with an experiment as a whole. */
export function experimentActionRoutes(parts: ApiParts): Route[] {
  return [
    route({
      method: 'post',
      path: '/experiments/{id}/actions/{action}',
      summary:
        'Start, pause, resume, stop, cancel, retry, clone or restore; clone answers with the new experiment',
      access: 'operator',
      params: z.strictObject({ id: idParam, action: z.enum(experimentActions) }),
      response: { kind: 'json', status: 200, schema: experimentDetailSchema },
      handle: ({ params: { id, action } }) => act(parts, id, action),
    }),
  ];
}

async function act(parts: ApiParts, id: number, action: ExperimentAction) {
  if (action === 'clone') return clone(parts, id);
  if (action === 'restore') {
    if (!parts.experiments.summary(id)) throw notFound('experiment', id);
    parts.experiments.update(id, { deletedAt: null });
    tellExperiment(parts, id);
    return detailOf(parts, id);
  }
  const record = recordOf(parts, id, { live: true });
  if (record.imported !== null) {
    throw conflict(
      `Experiment ${id} was imported: it was run elsewhere and is kept as it came.`,
      'Clone it to run it on your own testbed.',
    );
  }
  if (action === 'start') await startExperiment(parts, record);
  else await parts.conductor.act(id, action);
  return detailOf(parts, id);
}

function clone(parts: ApiParts, id: number) {
  const { draft } = recordOf(parts, id, { live: false });
  const ending = ' (copy)';
  const name = draft.name.slice(0, nameLimit - ending.length) + ending;
  return createExperiment(parts, { ...draft, name }, { start: false });
}
