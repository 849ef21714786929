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
import { isEncrypted } from '../guards/direct-caller.ts';
import { personOf } from '../guards/identify.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';
import { fileNameOf, untilGone } from '../send.ts';
import {
  createExperiment,
  detailOf,
  recordOf,
  startExperiment,
  tellExperiment,
} from '../start-experiment.ts';

/** Experiments: list, make, read, edit, delete. */
export function experimentRoutes(parts: ApiParts): Route[] {
  const { experiments } = parts;
  const firstTestbed = () => parts.testbeds.list()[0]?.testbedId ?? 'local';
  return [
    // Before "/experiments/{id}", which would take "import" for a number that is wrong.
    ...planRoutes(parts),
    on('GET /experiments', ({ query }) => experiments.list(query)),
    on('POST /experiments', ({ body }) => {
      const seed = Math.floor(Math.random() * 0x1_0000_0000);
      return createExperiment(parts, body.draft ?? makeEmptyDraft(firstTestbed(), seed), null);
    }),
    on('POST /tour', ({ caller }) =>
      createExperiment(parts, makeTourDraft(firstTestbed()), { by: personOf(caller.identity) }),
    ),
    on('GET /experiments/{id}', ({ params: { id }, caller }) => {
      const summary = experiments.summary(id);
      // Of one that runs, the time left and the place in the queue change by themselves.
      if (!summary || !isFinished(summary.status)) return detailOf(parts, id);
      return untilGone(caller.request.socket, (signal) =>
        parts.answers.get('experiment', id, { experimentIds: [id], signal }),
      );
    }),
    on('GET /experiments/{id}/draft', ({ params: { id }, caller }) => {
      const { draft } = recordOf(parts, id, { live: true });
      caller.setHeader('ETag', draftTag(draft));
      return draft;
    }),
    on('PUT /experiments/{id}/draft', ({ params: { id }, headers, body, caller }) => {
      const { status, draft } = recordOf(parts, id, { live: true });
      if (status !== 'draft') {
        throw conflict(
          `Experiment ${id} was started: its plan no longer changes.`,
          'Clone it and edit the clone.',
        );
      }
      refuseStale(headers['if-match'], draft, body);
      experiments.saveDraft(id, body);
      tellExperiment(parts, id);
      const saved = detailOf(parts, id);
      caller.setHeader('ETag', draftTag(saved.draft));
      return saved;
    }),
    on('PATCH /experiments/{id}', ({ params: { id }, body }) => {
      recordOf(parts, id, { live: true });
      const { name, tags, notes, keepEverything } = body;
      experiments.update(id, {
        ...(name === undefined ? {} : { name }),
        ...(tags === undefined ? {} : { tags }),
        ...(notes === undefined ? {} : { notes }),
        ...(keepEverything === undefined ? {} : { keepEverything }),
      });
      tellExperiment(parts, id);
      return detailOf(parts, id);
    }),
    on('DELETE /experiments/{id}', ({ params: { id } }) => {
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
    }),
    ...experimentActionRoutes(parts),
  ];
}

/** Throws a 412 problem where the draft is another one than whoever saves has seen; what was saved already is no news. */
function refuseStale(seen: string | undefined, draft: ExperimentDraft, saved: ExperimentDraft): void {
  if (seen === undefined || seen === '*' || isSameDraft(draft, saved)) return;
  if (seen.split(/\s*,\s*/).includes(draftTag(draft))) return;
  throw new ProblemError({
    status: 412,
    detail: 'Somebody else saved another version of this draft since.',
    remedy:
      'Read it again, then save your changes with its ETag as If-Match, or without If-Match to overwrite it.',
  });
}

const nameLimit = 200;

/** What can be done with an experiment as a whole. */
function experimentActionRoutes(parts: ApiParts): Route[] {
  return [
    on('POST /experiments/{id}/actions/{action}', ({ params: { id, action }, caller }) =>
      act(parts, { id, action, by: personOf(caller.identity) }),
    ),
  ];
}

interface Wish {
  id: number;
  action: ExperimentAction;
  by: string | null;
}

async function act(parts: ApiParts, { id, action, by }: Wish) {
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
      `Experiment ${id} was imported: it was run elsewhere and is not changed.`,
      'Clone it to run it on your own testbed.',
    );
  }
  if (action === 'start') startExperiment(parts, record, by);
  else await parts.conductor.act(id, action);
  return detailOf(parts, id);
}

function clone(parts: ApiParts, id: number) {
  const { draft } = recordOf(parts, id, { live: false });
  const ending = ' (copy)';
  const name = draft.name.slice(0, nameLimit - ending.length) + ending;
  return createExperiment(parts, { ...draft, name }, null);
}

/** Plans: check a draft, export and import it as a file. */
function planRoutes(parts: ApiParts): Route[] {
  const unknown = {
    testbedId: '',
    name: 'no testbed',
    externalBroker: null,
    externalDevice: null,
    devices: [],
  };
  const capabilitiesOf = (testbedId: string) => parts.testbeds.capabilities(testbedId) ?? unknown;
  const viewOf = (testbedId: string | null) =>
    makeTestbedView(capabilitiesOf(testbedId ?? parts.testbeds.list()[0]?.testbedId ?? 'local'));
  const check = async (draft: ExperimentDraft) => {
    const diskFreeBytes = await parts.diskFreeBytes();
    return checkPlan(parts, draft, {
      capabilities: capabilitiesOf(draft.testbedId),
      diskFreeBytes,
      now: parts.now(),
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
    on('POST /experiments/import', async ({ body: { text, start }, caller }) =>
      createExperiment(
        parts,
        await readPlanFile(text, viewOf),
        start ? { by: personOf(caller.identity) } : null,
      ),
    ),
    ...(['yaml', 'json'] as const).map((format) =>
      on(`GET /experiments/{id}/plan.${format}`, ({ params: { id }, caller }) => {
        const { draft } = recordOf(parts, id, { live: false });
        const name = fileNameOf(`E-${id}`, draft.name, format);
        return { name, body: makePlanFile(draft, format, schemaAddress(caller.request)) };
      }),
    ),
  ];
}

/** Of the JSON Schema of plan files, as this caller reaches it. */
function schemaAddress(request: IncomingMessage): string {
  const origin = `${isEncrypted(request) ? 'https' : 'http'}://${request.headers.host}`;
  return origin + addressOf('GET /plan.schema.json');
}
