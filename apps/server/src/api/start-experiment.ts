import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { noticesOf } from '@mqttlab/shared/domain/runs/import-marks';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { conflict, notFound, unprocessable } from '../base/errors.ts';
import type { ExperimentRecord } from '../store/experiments/experiment-store.ts';
import type { Services } from './services.ts';

/** Returns the plan of a draft on its testbed. Throws a 422 problem with every issue. */
function planOf(services: Services, draft: ExperimentDraft): Plan {
  const capabilities = services.devices.testbeds.findTestbedCapabilities(draft.testbedId);
  if (!capabilities) {
    const known = services.devices.testbeds.listTestbeds().map(({ testbedId }) => testbedId);
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

/**
 * Creates the plan of a draft, stores it and queues the experiment, in one transaction. Throws a 409 or 422
 * problem.
 */
export function startExperiment(
  services: Services,
  record: ExperimentRecord,
  startedBy: string | null,
): void {
  if (record.status !== 'draft') {
    throw conflict(
      `Experiment ${record.id} is ${record.status}, so it has already been started.`,
      'Clone it to run it again.',
    );
  }
  services.stores.experiments.queueExperiment(record.id, { plan: planOf(services, record.draft), startedBy });
  services.scheduler.noteQueued(record.id);
}

/** Creates an experiment from a draft and starts it if requested; creates nothing if it cannot start. */
export async function createExperiment(
  services: Services,
  draft: ExperimentDraft,
  start: { by: string | null } | null,
): Promise<ExperimentDetail> {
  if (start) {
    const id = services.stores.experiments.createQueuedExperiment(draft, {
      plan: planOf(services, draft),
      startedBy: start.by,
    });
    services.scheduler.noteQueued(id);
    return detailOf(services, id);
  }
  const { id } = services.stores.experiments.createExperiment(draft);
  publishExperiment(services, id);
  return detailOf(services, id);
}

/** Returns an experiment. Throws a 404 problem; with `live`, also if the experiment was deleted. */
export function recordOf(services: Services, id: number, options: { live: boolean }): ExperimentRecord {
  const record = services.stores.experiments.findExperiment(id);
  if (!record) throw notFound('experiment', id);
  if (options.live && record.deletedAt !== null) {
    throw conflict(`Experiment ${id} was deleted.`, 'Restore it first.');
  }
  return record;
}

/** Returns the part of a file name that shows the marks of imported results: "-foreign". */
export function markSuffix({ imported }: Pick<ExperimentRecord, 'imported'>): string {
  return noticesOf(imported)
    .map(({ name }) => `-${name.toLowerCase()}`)
    .join('');
}

/** Throws a 404 problem. */
export function detailOf(services: Services, id: number): ExperimentDetail {
  const detail = services.stores.experiments.findExperimentDetail(id);
  if (!detail) throw notFound('experiment', id);
  return detail;
}

/** Notifies every viewer of a change to the experiment. */
export function publishExperiment(services: Services, id: number): void {
  const data = services.stores.experiments.findExperimentSummary(id);
  if (data) services.live.publish({ event: 'experiment', experimentId: id, runId: null, data });
}
