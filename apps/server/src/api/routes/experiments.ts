import type { IncomingMessage } from 'node:http';
import { makeEmptyDraft, makeTourDraft } from '@mqttlab/shared/catalogue/tour';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { draftTag, isSameDraft } from '@mqttlab/shared/domain/plans/draft-tag';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { addressOf } from '@mqttlab/shared/messages/address';
import type { ExperimentAction } from '@mqttlab/shared/messages/http';
import { makePlanFileSchema } from '@mqttlab/shared/planning/plan-file-schema';
import { conflict, notFound, ProblemError } from '../../base/errors.ts';
import { activeStatuses } from '../../store/experiments/experiment-list.ts';
import { checkPlan, fillPlan } from '../check-plan.ts';
import { makePlanFile, readPlanFile } from '../documents.ts';
import { personOf } from '../guards/identify.ts';
import { originOf } from '../guards/request-origin.ts';
import { fileNameOf, on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import {
  createExperiment,
  detailOf,
  publishExperiment,
  recordOf,
  startExperiment,
} from '../start-experiment.ts';

/** Lists, creates, reads, edits and deletes experiments. */
export function experimentRoutes(services: Services): Route[] {
  const { experiments } = services.stores;
  const firstTestbed = () => services.devices.testbeds.listTestbeds()[0]?.testbedId ?? 'local';
  return [
    // Before "/experiments/{id}", because that route would parse "import" as an invalid number.
    ...planRoutes(services),
    on('GET /experiments', ({ query }) => experiments.listExperiments(query)),
    on('POST /experiments', ({ body }) => {
      const seed = Math.floor(Math.random() * 0x1_0000_0000);
      return createExperiment(services, body.draft ?? makeEmptyDraft(firstTestbed(), seed), null);
    }),
    on('POST /tour', ({ caller }) =>
      createExperiment(services, makeTourDraft(firstTestbed()), { by: personOf(caller.identity) }),
    ),
    on('GET /experiments/{id}', ({ params: { id }, caller }) => {
      const summary = experiments.findExperimentSummary(id);
      // The time left and the queue position of a running experiment change continuously.
      if (!summary || !isFinished(summary.status)) return detailOf(services, id);
      return services.answers.getAnswer('experiment', id, { experimentIds: [id], signal: caller.signal });
    }),
    on('GET /experiments/{id}/draft', ({ params: { id }, caller }) => {
      const { draft } = recordOf(services, id, { live: true });
      caller.setHeader('ETag', draftTag(draft));
      return draft;
    }),
    on('PUT /experiments/{id}/draft', ({ params: { id }, headers, body, caller }) => {
      const { status, draft } = recordOf(services, id, { live: true });
      if (status !== 'draft') {
        throw conflict(
          `Experiment ${id} was started, so its plan can no longer change.`,
          'Clone it and edit the clone.',
        );
      }
      refuseStale(headers['if-match'], draft, body);
      experiments.saveDraft(id, body);
      publishExperiment(services, id);
      const saved = detailOf(services, id);
      caller.setHeader('ETag', draftTag(saved.draft));
      return saved;
    }),
    on('PATCH /experiments/{id}', ({ params: { id }, body }) => {
      recordOf(services, id, { live: true });
      const { name, tags, notes, keepEverything } = body;
      experiments.updateExperiment(id, {
        ...(name === undefined ? {} : { name }),
        ...(tags === undefined ? {} : { tags }),
        ...(notes === undefined ? {} : { notes }),
        ...(keepEverything === undefined ? {} : { keepEverything }),
      });
      publishExperiment(services, id);
      return detailOf(services, id);
    }),
    on('DELETE /experiments/{id}', ({ params: { id } }) => {
      // The summary is available even if the rest of the experiment cannot be read.
      const found = experiments.findExperimentSummary(id);
      if (!found) throw notFound('experiment', id);
      const { status, deletedAt } = found;
      if (deletedAt !== null) return;
      if (activeStatuses.includes(status)) {
        throw conflict(`Experiment ${id} is ${status}.`, 'Cancel it first, then delete it.');
      }
      experiments.updateExperiment(id, { deletedAt: services.system.now() });
      publishExperiment(services, id);
    }),
    ...experimentActionRoutes(services),
  ];
}

/**
 * Throws a 412 problem if the stored draft is neither the version that the client read nor the version that
 * it sends.
 */
function refuseStale(seen: string | undefined, draft: ExperimentDraft, saved: ExperimentDraft): void {
  if (seen === undefined || seen === '*' || isSameDraft(draft, saved)) return;
  if (seen.split(/\s*,\s*/).includes(draftTag(draft))) return;
  throw new ProblemError({
    status: 412,
    detail: 'The stored draft has changed since you read it.',
    remedy:
      'Read it again, then save your changes with its ETag as If-Match, or without If-Match to overwrite it.',
  });
}

const nameLimit = 200;

/** Handles actions on an experiment as a whole. */
function experimentActionRoutes(services: Services): Route[] {
  return [
    on('POST /experiments/{id}/actions/{action}', ({ params: { id, action }, caller }) =>
      act(services, { id, action, by: personOf(caller.identity) }),
    ),
  ];
}

interface Request {
  id: number;
  action: ExperimentAction;
  by: string | null;
}

async function act(services: Services, { id, action, by }: Request) {
  if (action === 'clone') return clone(services, id);
  if (action === 'restore') {
    if (!services.stores.experiments.findExperimentSummary(id)) throw notFound('experiment', id);
    services.stores.experiments.updateExperiment(id, { deletedAt: null });
    publishExperiment(services, id);
    return detailOf(services, id);
  }
  const record = recordOf(services, id, { live: true });
  if (record.imported !== null) {
    throw conflict(
      `Experiment ${id} was imported: it was run elsewhere and cannot be changed.`,
      'Clone it to run it on your own testbed.',
    );
  }
  if (action === 'start') startExperiment(services, record, by);
  else await services.scheduler.act(id, action);
  return detailOf(services, id);
}

function clone(services: Services, id: number) {
  const { draft, imported } = recordOf(services, id, { live: false });
  if (imported?.foreign) {
    throw conflict(
      `Experiment ${id} was measured with ${imported.foreign.tool}: its settings are unknown.`,
      'Create an experiment with the settings that the tool used.',
    );
  }
  const ending = ' (copy)';
  const name = draft.name.slice(0, nameLimit - ending.length) + ending;
  return createExperiment(services, { ...draft, name }, null);
}

/** Checks the plan of a draft, and exports and imports plans as files. */
function planRoutes(services: Services): Route[] {
  const unknown = {
    testbedId: '',
    name: 'no testbed',
    externalBroker: null,
    externalDevice: null,
    devices: [],
  };
  const capabilitiesOf = (testbedId: string) =>
    services.devices.testbeds.findTestbedCapabilities(testbedId) ?? unknown;
  const viewOf = (testbedId: string | null) =>
    makeTestbedView(
      capabilitiesOf(testbedId ?? services.devices.testbeds.listTestbeds()[0]?.testbedId ?? 'local'),
    );
  const check = async (draft: ExperimentDraft) => {
    const diskFreeBytes = await services.system.diskFreeBytes();
    return checkPlan(services.stores, draft, {
      capabilities: capabilitiesOf(draft.testbedId),
      diskFreeBytes,
      now: services.system.now(),
    });
  };
  return [
    on('POST /plan/check', ({ body }) => check(body)),
    on('POST /plan/read', async ({ body, caller }) => {
      const draft = await readPlanFile(body.text, viewOf);
      const checked = await check(draft);
      const { treatments } = checked;
      const filling = { treatments, testbed: viewOf(draft.testbedId), schema: schemaAddress(caller.request) };
      return { draft, text: fillPlan(draft, filling), check: checked };
    }),
    on('GET /plan.schema.json', makePlanFileSchema),
    on('POST /experiments/import', async ({ body: { text, start }, query, caller }) =>
      createExperiment(
        services,
        await readPlanFile(text, viewOf),
        start || query.start === 'true' ? { by: personOf(caller.identity) } : null,
      ),
    ),
    ...(['yaml', 'json'] as const).map((format) =>
      on(`GET /experiments/{id}/plan.${format}`, ({ params: { id }, caller }) => {
        const { draft } = recordOf(services, id, { live: false });
        const name = fileNameOf(`E-${id}`, draft.name, format);
        return { name, body: makePlanFile(draft, format, schemaAddress(caller.request)) };
      }),
    ),
  ];
}

/** Returns the address of the JSON Schema for plan files at which this caller reaches it. */
function schemaAddress(request: IncomingMessage): string {
  return originOf(request) + addressOf('GET /plan.schema.json');
}
