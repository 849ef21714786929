import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { conflict, notFound, unprocessable } from '../base/errors.ts';
import type { ExperimentRecord } from '../store/experiments/experiment-store.ts';
import type { ApiParts } from './parts.ts';

/** The plan of a draft on its testbed. Throws a 422 problem with every issue. */
function planOf(parts: ApiParts, draft: ExperimentDraft): Plan {
  const capabilities = parts.testbeds.capabilities(draft.testbedId);
  if (!capabilities) {
    const known = parts.testbeds.list().map(({ testbedId }) => testbedId);
    throw unprocessable('The experiment cannot start.', [
      {
        field: 'testbedId',
        reason: `there is no testbed "${draft.testbedId}"`,
        remedy: `Choose ${known.join(' or ')}.`,
      },
    ]);
  }
  const parsed = parsePlan(draft, capabilities);
  if (!parsed.ok) throw unprocessable('The experiment cannot start.', parsed.issues);
  return parsed.plan;
}

/** Makes the plan of a draft, stores it and queues the experiment, all or nothing. Throws a 409 or 422 problem. */
export function startExperiment(parts: ApiParts, record: ExperimentRecord, startedBy: string | null): void {
  if (record.status !== 'draft') {
    throw conflict(
      `Experiment ${record.id} is ${record.status}, so it was started before.`,
      'Clone it to run it again.',
    );
  }
  parts.experiments.start(record.id, { plan: planOf(parts, record.draft), startedBy });
  parts.conductor.noteQueued(record.id);
}

/** Makes an experiment of a draft and, where somebody starts it, does so; nothing is made when it could not start. */
export async function createExperiment(
  parts: ApiParts,
  draft: ExperimentDraft,
  start: { by: string | null } | null,
): Promise<ExperimentDetail> {
  if (start) {
    const id = parts.experiments.createStarted(draft, { plan: planOf(parts, draft), startedBy: start.by });
    parts.conductor.noteQueued(id);
    return detailOf(parts, id);
  }
  const { id } = parts.experiments.create(draft);
  tellExperiment(parts, id);
  return detailOf(parts, id);
}

/** Throws a 404 problem; with `live`, also for one that was deleted. */
export function recordOf(parts: ApiParts, id: number, options: { live: boolean }): ExperimentRecord {
  const record = parts.experiments.find(id);
  if (!record) throw notFound('experiment', id);
  if (options.live && record.deletedAt !== null) {
    throw conflict(`Experiment ${id} was deleted.`, 'Restore it first.');
  }
  return record;
}

/** Throws a 404 problem. */
export function detailOf(parts: ApiParts, id: number): ExperimentDetail {
  const detail = parts.experiments.detail(id);
  if (!detail) throw notFound('experiment', id);
  return detail;
}

/** Tells every viewer that something about the experiment changed. */
export function tellExperiment(parts: ApiParts, id: number): void {
  const data = parts.experiments.summary(id);
  if (data) parts.bus.publish({ event: 'experiment', experimentId: id, runId: null, data });
}
