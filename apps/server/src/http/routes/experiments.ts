import { makeEmptyDraft, makeTourDraft } from '@mqttlab/shared/catalogue/tour';
import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { experimentDetailSchema } from '@mqttlab/shared/domain/runs/experiment';
import {
  createExperimentSchema,
  experimentListQuerySchema,
  experimentListSchema,
  patchExperimentSchema,
} from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { conflict, notFound } from '../../base/errors.ts';
import { activeStatuses } from '../../store/experiments/experiment-list.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { createExperiment, detailOf, longDetailOf, recordOf, tellExperiment } from '../start-experiment.ts';

const params = z.strictObject({ id: idParam });
const detail = { kind: 'json', status: 200, schema: experimentDetailSchema } as const;
const made = { kind: 'json', status: 201, schema: experimentDetailSchema } as const;

/** Experiments: list, make, read, edit, delete. */
export function experimentRoutes(parts: ApiParts): Route[] {
  const { experiments } = parts;
  const firstTestbed = () => parts.testbeds.list()[0]?.testbedId ?? 'local';
  return [
    route({
      method: 'get',
      path: '/experiments',
      summary: 'List experiments, newest first',
      access: 'viewer',
      query: experimentListQuerySchema,
      response: { kind: 'json', status: 200, schema: experimentListSchema },
      handle: ({ query }) => experiments.list(query),
    }),
    route({
      method: 'post',
      path: '/experiments',
      summary: 'Make an experiment; without a draft, an empty one',
      access: 'operator',
      body: createExperimentSchema,
      response: made,
      handle: ({ body }) => {
        const seed = Math.floor(Math.random() * 0x1_0000_0000);
        return createExperiment(parts, body.draft ?? makeEmptyDraft(firstTestbed(), seed), { start: false });
      },
    }),
    route({
      method: 'post',
      path: '/tour',
      summary: 'Make and start the tour experiment',
      access: 'operator',
      response: made,
      handle: () => createExperiment(parts, makeTourDraft(firstTestbed()), { start: true }),
    }),
    route({
      method: 'get',
      path: '/experiments/{id}',
      summary: 'Read an experiment with its plan and runs',
      access: 'viewer',
      params,
      response: detail,
      handle: ({ params: { id } }) => longDetailOf(parts, id),
    }),
    route({
      method: 'put',
      path: '/experiments/{id}/draft',
      summary: 'Save the draft; only before the start',
      access: 'operator',
      params,
      body: experimentDraftSchema,
      response: detail,
      handle: ({ params: { id }, body }) => {
        const { status } = recordOf(parts, id, { live: true });
        if (status !== 'draft') {
          throw conflict(
            `Experiment ${id} was started: its plan no longer changes.`,
            'Clone it and edit the clone.',
          );
        }
        experiments.saveDraft(id, body);
        tellExperiment(parts, id);
        return detailOf(parts, id);
      },
    }),
    route({
      method: 'patch',
      path: '/experiments/{id}',
      summary: 'Change name, tags or notes at any time',
      access: 'operator',
      params,
      body: patchExperimentSchema,
      response: detail,
      handle: ({ params: { id }, body }) => {
        recordOf(parts, id, { live: true });
        const { name, tags, notes } = body;
        experiments.update(id, {
          ...(name === undefined ? {} : { name }),
          ...(tags === undefined ? {} : { tags }),
          ...(notes === undefined ? {} : { notes }),
        });
        tellExperiment(parts, id);
        return detailOf(parts, id);
      },
    }),
    route({
      method: 'delete',
      path: '/experiments/{id}',
      summary: 'Delete an experiment; the action "restore" brings it back',
      access: 'operator',
      params,
      response: { kind: 'nothing' },
      handle: ({ params: { id } }) => {
        // Its summary is there also where the rest of it cannot be read.
        const found = experiments.summary(id);
        if (!found) throw notFound('experiment', id);
        const { status, deletedAt } = found;
        if (deletedAt !== null) return;
        if (activeStatuses.includes(status)) {
          throw conflict(`Experiment ${id} is ${status}.`, 'Cancel it first, then delete it.');
        }
        experiments.update(id, { deletedAt: parts.now() });
        tellExperiment(parts, id);
      },
    }),
  ];
}
