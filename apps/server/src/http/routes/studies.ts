import { makeStudyDraft, type Study } from '@mqttlab/shared/catalogue/studies/study';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { experimentDetailSchema } from '@mqttlab/shared/domain/runs/experiment';
import {
  type CreateFromStudy,
  createFromStudySchema,
  studyListQuerySchema,
  studyListSchema,
} from '@mqttlab/shared/messages/studies';
import * as z from 'zod';
import { listStudies } from '../../analysis/studies.ts';
import { notFound, unprocessable } from '../../base/errors.ts';
import { route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { createExperiment } from '../start-experiment.ts';
import { knownStudy } from '../start-study-run.ts';

/** Published studies as ready plans. */
export function studyRoutes(parts: ApiParts): Route[] {
  const capabilitiesOf = (wanted: string | undefined): TestbedCapabilities => {
    const testbedId = wanted ?? parts.testbeds.list()[0]?.testbedId ?? '';
    const capabilities = parts.testbeds.capabilities(testbedId);
    if (!capabilities) throw notFound('testbed', testbedId);
    return capabilities;
  };
  return [
    route({
      method: 'get',
      path: '/studies',
      summary: 'List the studies with what each costs and leaves out on a testbed',
      access: 'viewer',
      query: studyListQuerySchema,
      response: { kind: 'json', status: 200, schema: studyListSchema },
      handle: ({ query }) => {
        const capabilities = capabilitiesOf(query.testbedId);
        return listStudies(capabilities, {
          overheadMs: parts.runs.medianOverheadMs(capabilities.testbedId),
          own: parts.studies.listOwn(),
          broken: parts.studies.listBroken(),
        });
      },
    }),
    route({
      method: 'post',
      path: '/studies/{id}/experiments',
      summary: 'Make a draft of a study, to look at and to start',
      access: 'operator',
      params: z.strictObject({ id: z.string().max(60) }),
      body: createFromStudySchema,
      response: { kind: 'json', status: 201, schema: experimentDetailSchema },
      handle: ({ params: { id }, body }) => {
        const { study } = knownStudy(parts, id);
        const draft = draftOf(study, body, capabilitiesOf(body.testbedId));
        return createExperiment(parts, draft, { start: false });
      },
    }),
  ];
}

/** Throws a 422 problem for a part that is none or cannot be run. */
function draftOf(
  study: Study,
  { part: wanted, scale }: CreateFromStudy,
  capabilities: TestbedCapabilities,
): ExperimentDraft {
  const runnable = study.parts.filter(({ plan }) => plan !== null);
  const part = wanted === undefined ? runnable[0] : study.parts.find(({ id }) => id === wanted);
  const draft = part && makeStudyDraft({ study, part, scale }, makeTestbedView(capabilities));
  if (draft) return draft;
  const why = part?.gaps.map(({ what, reason }) => `${what}: ${reason}`).join('; ');
  throw unprocessable(`No draft was made of ${study.title}.`, [
    {
      field: 'part',
      reason: part ? `it cannot be run yet (${why})` : `there is no part "${wanted ?? ''}"`,
      remedy: `Choose ${runnable.map(({ id }) => id).join(' or ')}.`,
    },
  ]);
}
