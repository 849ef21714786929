import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { StartStudy, StudyRun } from '@mqttlab/shared/messages/studies';
import { leftOutOf } from '@mqttlab/shared/planning/left-out';
import { makeOwnStudy } from '@mqttlab/shared/planning/own-study';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeStudyDraft, type Study, type StudyPart } from '@mqttlab/shared/planning/study';
import { findStudy } from '@mqttlab/studies/studies';
import { viewStudyRun } from '../analysis/studies.ts';
import { notFound, unprocessable } from '../base/errors.ts';
import type { StudyRunRecord } from '../store/experiments/study-store.ts';
import type { ApiParts } from './parts.ts';
import { createExperiment } from './start-experiment.ts';

/** A study, or one that was saved or imported here. Throws a 404 problem. */
export function knownStudy(parts: ApiParts, id: string): { study: Study; own: StudyFile | null } {
  const own = parts.studies.findOwn(id);
  const study = own ? makeOwnStudy(own) : findStudy(id);
  if (!study) throw notFound('study', id);
  return { study, own };
}

/**
 * Makes an experiment of every part that the testbed can run and queues them in order. Throws a 422 problem, and makes
 * nothing, where none can be run or a part is asked for that is none.
 */
export async function startStudyRun(
  parts: ApiParts,
  { studyId, scale, parts: wanted, testbedId, by }: StartStudy & { by: string | null },
  capabilities: TestbedCapabilities,
): Promise<StudyRun> {
  const { study, own } = knownStudy(parts, studyId);
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
      leftOut: [
        ...leftOut,
        ...(isWanted ? [] : [notAsked(part)]),
        ...issues.map(({ field, reason, remedy }) => ({ what: field, reason, remedy })),
      ],
      experimentId: draft ? (await createExperiment(parts, draft, { by })).id : null,
    });
  }
  const { title } = study;
  return viewStudyRun(parts, parts.studies.createRun({ studyId, title, testbedId, scale, parts: made, own }));
}

function notAsked({ title }: StudyPart) {
  return {
    what: title,
    reason: 'this part was not asked for',
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

/** Ends every part that has not come to its end, the last one first so that none begins meanwhile. */
export async function cancelStudyRun(parts: ApiParts, record: StudyRunRecord): Promise<StudyRun> {
  for (const { experimentId } of record.parts.toReversed()) {
    const found = experimentId === null ? null : parts.experiments.find(experimentId);
    if (!found || isFinished(found.status) || found.status === 'draft') continue;
    // It may come to its end by itself just now; that is as good.
    await parts.conductor.act(found.id, 'cancel').catch((error: unknown) => {
      const status = parts.experiments.find(found.id)?.status;
      if (!status || !isFinished(status)) throw error;
    });
  }
  return viewStudyRun(parts, record);
}
