import { estimateValues } from '@mqttlab/shared/analysis/estimate';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { importedSchema } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import * as z from 'zod';
import { readOrBroken } from '../broken-row.ts';
import type { Database } from '../database.ts';
import { defineRow, json } from '../table.ts';
import { listRunFiles } from './run-file-store.ts';
import { readResults } from './run-results.ts';
import { findRunSummary } from './run-rows.ts';

const contextRow = defineRow(
  {
    experimentName: z.string(),
    trialCount: z.int(),
    measuredAt: z.number().nullable(),
    overheadMs: z.number().nullable(),
    previousRunId: z.int().nullable(),
    nextRunId: z.int().nullable(),
    imported: json(importedSchema).nullable(),
  },
  {
    experimentName: 'name',
    imported: 'imported_json',
    trialCount: 'trials',
    previousRunId: '(SELECT max(id) FROM runs WHERE experiment_id = run.experiment_id AND id < run.id)',
    nextRunId: '(SELECT min(id) FROM runs WHERE experiment_id = run.experiment_id AND id > run.id)',
  },
);

/** A Run with everything its page shows; null when it is not there. */
export function findRunDetail(
  database: Database,
  id: number,
  planOf: (experimentId: number) => Plan | null,
): RunDetail | null {
  return readOrBroken(`run ${id}`, () => readRunDetail(database, id, planOf));
}

function readRunDetail(
  database: Database,
  id: number,
  planOf: (experimentId: number) => Plan | null,
): RunDetail | null {
  const run = findRunSummary(database, id);
  if (!run) return null;
  const treatment = planOf(run.experimentId)?.treatments.find(({ key }) => key === run.treatmentKey);
  if (!treatment) throw new RangeError(`the plan of run ${id} has no treatment ${run.treatmentKey}`);
  const context = database.get(
    `SELECT ${contextRow.columns}
     FROM runs AS run JOIN experiments ON experiments.id = run.experiment_id WHERE run.id = :id`,
    { id },
  );
  const { imported, ...about } = contextRow.parse(context);
  return {
    ...run,
    ...about,
    ...(imported?.altered ? { altered: imported.altered } : {}),
    treatment,
    results: readResults(database, id).map(({ result }) => result),
    devices: devicesOf(database, id),
    files: listRunFiles(database, id),
    siblings: siblingsOf(database, id),
  };
}

const deviceRowSchema = z.object({ role: z.string(), names: z.string() });

/** Names of the devices by role; a device that was removed keeps its id. */
function devicesOf(database: Database, runId: number): RunDetail['devices'] {
  const rows = database.all(
    `SELECT result.role, group_concat(coalesce(devices.name, result.device_id), ', ') AS names
     FROM run_results AS result LEFT JOIN devices ON devices.id = result.device_id
     WHERE run_id = :runId GROUP BY result.role`,
    { runId },
  );
  return Object.fromEntries(
    rows.map((row) => deviceRowSchema.parse(row)).map(({ role, names }) => [role, names]),
  );
}

const siblingRow = defineRow({ metric: z.string(), numbers: json(z.array(z.number())) });

/** What the other valid runs of the same Treatment say, attempts that count only. */
function siblingsOf(database: Database, runId: number): RunDetail['siblings'] {
  // One row for each metric: reading a row for each value takes longer than all the rest of a run.
  const rows = database.all(
    `SELECT metric, json_group_array(value) AS numbers FROM runs AS run
     JOIN runs AS other ON other.experiment_id = run.experiment_id AND other.treatment_key = run.treatment_key
       AND other.id <> run.id AND other.superseded = 0 AND other.status = 'done' AND other.flagged = 0
       AND other.exclusion_json IS NULL AND other.bases_json IS run.bases_json
     JOIN run_metrics ON run_metrics.run_id = other.id
     WHERE run.id = :runId AND value IS NOT NULL GROUP BY metric`,
    { runId },
  );
  return Object.fromEntries(
    rows.map(siblingRow.parse).flatMap(({ metric, numbers }) => {
      const { n, value } = estimateValues(numbers, findMetric(metric) ?? { quantity: 'signed', unit: '' });
      return value === null ? [] : [[metric, { mean: value, runs: n }]];
    }),
  );
}
