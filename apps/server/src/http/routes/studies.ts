import { clientMatrixTag } from '@mqttlab/shared/catalogue/client-matrix';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ClaimBoard } from '@mqttlab/shared/domain/report/claims';
import type { CreateFromStudy, StudyView } from '@mqttlab/shared/messages/studies';
import { makeStudyDraft, type Study } from '@mqttlab/shared/planning/study';
import { countAnswers } from '@mqttlab/studies/claims/board';
import { listStudies, viewStudyRun } from '../../analysis/studies.ts';
import { notFound, unprocessable } from '../../base/errors.ts';
import type { StudyRunRecord } from '../../store/experiments/study-store.ts';
import { personOf } from '../guards/identify.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';
import { untilGone } from '../send.ts';
import { createExperiment } from '../start-experiment.ts';
import { cancelStudyRun, knownStudy, startStudyRun } from '../start-study-run.ts';

/** Published studies as ready plans. */
export function studyRoutes(parts: ApiParts): Route[] {
  const capabilitiesOf = (wanted: string | undefined): TestbedCapabilities => {
    const testbedId = wanted ?? parts.testbeds.list()[0]?.testbedId ?? '';
    const capabilities = parts.testbeds.capabilities(testbedId);
    if (!capabilities) throw notFound('testbed', testbedId);
    return capabilities;
  };
  /** Of each study the last run on a testbed that answers a claim. */
  const lastBoards = async (
    testbedId: string,
    signal: AbortSignal,
  ): Promise<Map<string, StudyView['board']>> => {
    const last = new Map<string, StudyView['board']>();
    for (const record of parts.studies.listRuns(listed)) {
      if (record.testbedId !== testbedId || record.own !== null || last.has(record.studyId)) continue;
      const board = await boardOf(parts, record, { flagged: false, signal });
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
        overheadMs: parts.runs.medianOverheadMs(capabilities.testbedId),
        own: parts.studies.listOwn(),
        broken: parts.studies.listBroken(),
        boards: await untilGone(caller.request.socket, (signal) =>
          lastBoards(capabilities.testbedId, signal),
        ),
      });
    }),
    on('POST /studies/{id}/experiments', ({ params: { id }, body }) => {
      const { study } = knownStudy(parts, id);
      const draft = draftOf(study, body, capabilitiesOf(body.testbedId));
      return createExperiment(parts, draft, null);
    }),
    ...studyRunRoutes(parts),
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

const listed = 50;

/** Studies as a whole: all parts started together, followed, and ended together. */
function boardOf(
  { answers, experiments }: ApiParts,
  { id, parts }: StudyRunRecord,
  { flagged, signal }: { flagged: boolean; signal: AbortSignal },
) {
  // The client matrix answers some claims.
  const { items } = experiments.list({ tag: clientMatrixTag, status: 'all', offset: 0, limit: 20 });
  const experimentIds = [
    ...parts.flatMap(({ experimentId }) => experimentId ?? []),
    ...items.map((matrix) => matrix.id),
  ];
  return answers.get('studyBoard', { studyRunId: id, flagged }, { experimentIds, signal });
}

function studyRunRoutes(parts: ApiParts): Route[] {
  const recordOf = (id: number): StudyRunRecord => {
    const record = parts.studies.findRun(id);
    if (!record) throw notFound('study run', id);
    return record;
  };
  return [
    on('GET /study-runs', () => ({
      items: parts.studies.listRuns(listed).map((record) => viewStudyRun(parts, record)),
    })),
    on('POST /study-runs', ({ body, caller }) => {
      const capabilities = parts.testbeds.capabilities(body.testbedId);
      if (!capabilities) throw notFound('testbed', body.testbedId);
      return startStudyRun(parts, { ...body, by: personOf(caller.identity) }, capabilities);
    }),
    on('GET /study-runs/{id}', ({ params: { id } }) => viewStudyRun(parts, recordOf(id))),
    on('GET /study-runs/{id}/board', ({ params: { id }, query: { flagged }, caller }) =>
      untilGone(caller.request.socket, (signal) =>
        boardOf(parts, recordOf(id), { flagged: flagged === 'true', signal }),
      ),
    ),
    on('POST /study-runs/{id}/actions/cancel', ({ params: { id } }) => cancelStudyRun(parts, recordOf(id))),
  ];
}
