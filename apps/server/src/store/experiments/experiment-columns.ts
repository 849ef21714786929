import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { ExperimentStore } from '../../base/ports.ts';
import type { Params } from '../database.ts';
import { packJson } from '../packed-json.ts';

export function draftColumns(draft: ExperimentDraft): Params {
  const varied = Object.entries(draft.factors).filter(([, levels]) => new Set(levels).size > 1);
  return {
    name: draft.name,
    question: draft.question,
    notes: draft.notes,
    tags_json: JSON.stringify(draft.tags),
    testbed_id: draft.testbedId,
    draft_json: JSON.stringify(draft),
    varied_json: JSON.stringify(varied.map(([id]) => labelOf(id))),
  };
}

function labelOf(factorId: string): string {
  return findFactor(factorId)?.label ?? factorId;
}

export type ExperimentChange = Parameters<ExperimentStore['update']>[1];

const changeNames: Readonly<Record<Exclude<keyof ExperimentChange, 'tags'>, string>> = {
  status: 'status',
  name: 'name',
  notes: 'notes',
  startedAt: 'started_at',
  finishedAt: 'finished_at',
  queuedAt: 'queued_at',
  deletedAt: 'deleted_at',
  trials: 'trials',
};

export function changeColumns(change: ExperimentChange): Params {
  const { tags, ...rest } = change;
  const columns: Params = tags ? { tags_json: JSON.stringify(tags) } : {};
  for (const key of Object.keys(rest) as (keyof typeof rest)[]) {
    const value = rest[key];
    if (value !== undefined) columns[changeNames[key]] = value;
  }
  return columns;
}

/** A Plan never changes, so it is written once. */
export function planColumns(plan: Plan): Params {
  return {
    plan_packed: packJson(plan),
    varied_json: JSON.stringify(plan.varied.map(labelOf)),
    trials: plan.trials.length,
  };
}
