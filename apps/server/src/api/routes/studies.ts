import { clientMatrixTag } from '@mqttlab/shared/catalogue/client-matrix';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
import type { ClaimBoard } from '@mqttlab/shared/domain/report/claims';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { CreateFromStudy, StartStudy, StudyRun, StudyView } from '@mqttlab/shared/messages/studies';
import { leftOutOf } from '@mqttlab/shared/planning/left-out';
import { makeOwnStudy } from '@mqttlab/shared/planning/own-study';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeStudyDraft, type Study, type StudyPart } from '@mqttlab/shared/planning/study';
import { countAnswers } from '@mqttlab/studies/claims/board';
import { findStudy } from '@mqttlab/studies/studies';
import { notFound, unprocessable } from '../../base/errors.ts';
import { listStudies, viewStudyRun } from '../../results/studies.ts';
import type { StudyRunRecord } from '../../store/experiments/study-store.ts';
import { personOf } from '../guards/identify.ts';
import { on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { createExperiment } from '../start-experiment.ts';

/** Serves published studies as plans that are ready to run. */
export function studyRoutes(services: Services): Route[] {
  const capabilitiesOf = (wanted: string | undefined): TestbedCapabilities => {
    const testbedId = wanted ?? services.devices.testbeds.listTestbeds()[0]?.testbedId ?? '';
    const capabilities = services.devices.testbeds.findTestbedCapabilities(testbedId);
    if (!capabilities) throw notFound('testbed', testbedId);
    return capabilities;
  };
  /** Returns, for each study, the board of the last study run on a testbed that answers a claim. */
  const lastBoards = async (
    testbedId: string,
    signal: AbortSignal,
  ): Promise<Map<string, StudyView['board']>> => {
    const last = new Map<string, StudyView['board']>();
    for (const record of services.stores.studies.listStudyRuns(listed)) {
      if (record.testbedId !== testbedId || record.own !== null || last.has(record.studyId)) continue;
      const board = await boardOf(services, record, { flagged: false, signal });
      const answers = countAnswers(board.parse<ClaimBoard>());
      if (answers.agrees + answers.differs === 0) continue;
      last.set(record.studyId, { studyRunId: record.id, scale: record.scale, answers });
    }
    return last;
  };
  return [
    on('GET /studies', async ({ query, caller }) => {
      const capabilities = capabilitiesOf(query.testbedId);
      return listStudies(capabilities, {
        overheadMs: services.stores.runs.medianOverheadMs(capabilities.testbedId),
        own: services.stores.studies.listOwnStudies(),
        broken: services.stores.studies.listBrokenStudies(),
        boards: await lastBoards(capabilities.testbedId, caller.signal),
      });
    }),
    on('POST /studies/{id}/experiments', ({ params: { id }, body }) => {
      const { study } = knownStudy(services, id);
      const draft = draftOf(study, body, capabilitiesOf(body.testbedId));
      return createExperiment(services, draft, null);
    }),
    ...studyRunRoutes(services),
  ];
}

/** Throws a 422 problem if the part does not exist or cannot be run. */
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
  throw unprocessable(`No draft could be created from ${study.title}.`, [
    {
      field: 'part',
      reason: part ? `it cannot be run yet (${why})` : `there is no part "${wanted ?? ''}"`,
      remedy: `Choose ${runnable.map(({ id }) => id).join(' or ')}.`,
    },
  ]);
}

const listed = 50;

/** Returns the claims of a study run, evaluated with its results. */
function boardOf(
  { answers, stores: { experiments } }: Services,
  { id, parts }: StudyRunRecord,
  { flagged, signal }: { flagged: boolean; signal: AbortSignal },
) {
  // The client matrix provides evidence for some claims.
  const { items } = experiments.listExperiments({
    tag: clientMatrixTag,
    status: 'all',
    offset: 0,
    limit: 20,
  });
  const experimentIds = [
    ...parts.flatMap(({ experimentId }) => experimentId ?? []),
    ...items.map((matrix) => matrix.id),
  ];
  return answers.getAnswer('studyBoard', { studyRunId: id, flagged }, { experimentIds, signal });
}

/** Handles studies as a whole: starts, follows and ends all parts together. */
function studyRunRoutes(services: Services): Route[] {
  const recordOf = (id: number): StudyRunRecord => {
    const record = services.stores.studies.findStudyRun(id);
    if (!record) throw notFound('study run', id);
    return record;
  };
  return [
    on('GET /study-runs', () => ({
      items: services.stores.studies
        .listStudyRuns(listed)
        .map((record) => viewStudyRun(services.stores, record)),
    })),
    on('POST /study-runs', ({ body, caller }) => {
      const capabilities = services.devices.testbeds.findTestbedCapabilities(body.testbedId);
      if (!capabilities) throw notFound('testbed', body.testbedId);
      return startStudyRun(services, { ...body, by: personOf(caller.identity) }, capabilities);
    }),
    on('GET /study-runs/{id}', ({ params: { id } }) => viewStudyRun(services.stores, recordOf(id))),
    on('GET /study-runs/{id}/board', ({ params: { id }, query: { flagged }, caller }) =>
      boardOf(services, recordOf(id), { flagged: flagged === 'true', signal: caller.signal }),
    ),
    on('POST /study-runs/{id}/actions/cancel', ({ params: { id } }) =>
      cancelStudyRun(services, recordOf(id)),
    ),
  ];
}

/** Returns a published study, or a study that was saved or imported on this server. Throws a 404 problem. */
function knownStudy(services: Services, id: string): { study: Study; own: StudyFile | null } {
  const own = services.stores.studies.findOwnStudy(id);
  const study = own ? makeOwnStudy(own) : findStudy(id);
  if (!study) throw notFound('study', id);
  return { study, own };
}

/**
 * Creates an experiment from every part that the testbed can run and queues these in order. Throws a 422
 * problem, and creates nothing, if no part can be run or a requested part does not exist.
 */
async function startStudyRun(
  services: Services,
  { studyId, scale, parts: wanted, testbedId, by }: StartStudy & { by: string | null },
  capabilities: TestbedCapabilities,
): Promise<StudyRun> {
  const { study, own } = knownStudy(services, studyId);
  const view = makeTestbedView(capabilities);
  const unknown = (wanted ?? []).find((id) => !study.parts.some((part) => part.id === id));
  if (unknown !== undefined) throw noSuchPart(study, unknown);
  const planned = study.parts.map((part) => {
    const isWanted = wanted === undefined || wanted.includes(part.id);
    const draft = isWanted ? makeStudyDraft({ study, part, scale }, view) : null;
    const parsed = draft && parsePlan(draft, capabilities);
    return {
      part,
      isWanted,
      draft: parsed?.ok ? draft : null,
      issues: parsed && !parsed.ok ? parsed.issues : [],
      leftOut: leftOutOf({ study, part, scale }, view),
    };
  });
  if (!planned.some(({ draft }) => draft)) throw nothingRuns(study, planned);
  const made: StudyRunRecord['parts'] = [];
  for (const { part, isWanted, draft, issues, leftOut } of planned) {
    made.push({
      id: part.id,
      title: part.title,
      question: part.question,
      leftOut: isWanted
        ? [...issues.map(({ field, reason, remedy }) => ({ what: field, reason, remedy })), ...leftOut]
        : [notAsked(part)],
      experimentId: draft ? (await createExperiment(services, draft, { by })).id : null,
    });
  }
  const { title } = study;
  return viewStudyRun(
    services.stores,
    services.stores.studies.createStudyRun({ studyId, title, testbedId, scale, parts: made, own }),
  );
}

function notAsked({ title }: StudyPart) {
  return {
    what: title,
    reason: 'this part was not requested',
    remedy: 'Start the study with all its parts.',
  };
}

function noSuchPart({ title, parts }: Study, id: string) {
  return unprocessable(`${title} was not started.`, [
    {
      field: 'parts',
      reason: `there is no part "${id}"`,
      remedy: `Choose among ${parts.map((part) => part.id).join(', ')}.`,
    },
  ]);
}

interface Refused {
  part: StudyPart;
  isWanted: boolean;
  issues: readonly { reason: string; remedy: string }[];
  leftOut: readonly { what: string; reason: string; remedy: string }[];
}

function nothingRuns({ title }: Study, planned: readonly Refused[]) {
  return unprocessable(
    `${title} was not started: no part of it can be run here.`,
    planned
      .filter(({ isWanted }) => isWanted)
      .map(({ part, issues, leftOut }) => {
        const why = [...issues, ...leftOut.map((one) => ({ ...one, reason: `${one.what}: ${one.reason}` }))];
        return {
          field: `parts.${part.id}`,
          reason: why.map(({ reason }) => reason).join('; ') || 'it cannot be run',
          remedy: why.find(({ remedy }) => remedy !== '')?.remedy ?? 'Choose another testbed.',
        };
      }),
  );
}

/** Ends every unfinished part, the last part first, so that no part starts in the meantime. */
async function cancelStudyRun(services: Services, record: StudyRunRecord): Promise<StudyRun> {
  for (const { experimentId } of record.parts.toReversed()) {
    const found = experimentId === null ? null : services.stores.experiments.findExperiment(experimentId);
    if (!found || isFinished(found.status) || found.status === 'draft') continue;
    // The experiment may finish in the meantime; ignore that error.
    await services.scheduler.act(found.id, 'cancel').catch((error: unknown) => {
      const status = services.stores.experiments.findExperiment(found.id)?.status;
      if (!status || !isFinished(status)) throw error;
    });
  }
  return viewStudyRun(services.stores, record);
}
