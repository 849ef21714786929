import { isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import { largestMeasure } from '@mqttlab/shared/domain/bounds';
import type { WorkloadKind } from '@mqttlab/shared/domain/plans/workload';
import { exclusionSchema, type RunSummary } from '@mqttlab/shared/domain/runs/run';
import { runStatuses } from '@mqttlab/shared/domain/runs/statuses';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineRow, flag, json, leaveOut, type RowOf, readEach } from '../table.ts';
import { willCount } from './progress.ts';

const basesSchema = z.record(z.string(), z.string());

/** SQL for the ids of failed verdicts; only those of flagged runs are read. */
const failedColumn = `CASE WHEN runs.flagged = 1 THEN (SELECT json_group_array(value ->> 'id')
  FROM json_each(runs.verdicts_json) WHERE value ->> 'status' = 'failed') ELSE '[]' END`;
const failedIds = json(z.array(z.string()));

const valueRow = defineRow(
  {
    flagged: flag,
    failed: failedIds,
    runId: z.int(),
    experimentId: z.int(),
    block: z.int(),
    treatmentKey: z.string(),
    // Values that cannot be a measurement are omitted.
    value: z.number().refine((value) => Math.abs(value) <= largestMeasure),
    /** Basis of the figures in this run, by group of metrics. */
    bases: json(basesSchema)
      .nullable()
      .transform((bases) => bases ?? {}),
  },
  { runId: 'runs.id', value: 'run_metrics.value', bases: 'bases_json', failed: failedColumn },
);

/**
 * One metric in one valid run: done, not flagged for this metric, not excluded, and the counting attempt of
 * its trial.
 */
export type MetricValue = RowOf<typeof valueRow>;

const valid = 'exclusion_json IS NULL';
const counts = `superseded = 0 AND runs.status = 'done'`;

/**
 * Returns the values in an experiment. `finishing`: a run whose summary was written just before it is
 * completed, so it may already count for its trial.
 */
export function readExperimentValues(
  database: Database,
  experimentId: number,
  { metric, finishing = null }: { metric: string; finishing?: number | null },
): MetricValue[] {
  const rows = database.all(
    `SELECT ${valueRow.columns} FROM runs
       JOIN run_metrics ON run_id = runs.id AND metric = :metric
       WHERE experiment_id = :experimentId AND ${valid} AND value IS NOT NULL AND (runs.id = :finishing
         OR (${counts} AND trial_number IS NOT (SELECT trial_number FROM runs WHERE id = :finishing)))
       ORDER BY runs.id`,
    {
      experimentId,
      metric,
      finishing: finishing !== null && willCount(database, finishing) ? finishing : null,
    },
  );
  return readEach(rows, valueRow.parse, leaveOut).filter((run) => !isFlaggedForId(run, metric));
}

export interface SimilarRuns {
  testbedId: string;
  metric: string;
  workload: WorkloadKind;
  /** Labels of varied factors; null includes every experiment with the testbed and workload. */
  varied: readonly string[] | null;
}

/** Returns values from the latest experiments of a kind, at most 5000, newest first. */
export function readSimilarValues(database: Database, similar: SimilarRuns): MetricValue[] {
  return readSimilarRuns(database, similar).filter((run) => !isFlaggedForId(run, similar.metric));
}

/**
 * Counts the runs in the latest experiments of a kind that have the metric, and those that are flagged for
 * it.
 */
export function countSimilarRuns(
  database: Database,
  similar: SimilarRuns,
): { runs: number; flagged: number } {
  const runs = readSimilarRuns(database, similar);
  return { runs: runs.length, flagged: runs.filter((run) => isFlaggedForId(run, similar.metric)).length };
}

function readSimilarRuns(
  database: Database,
  { testbedId, metric, workload, varied }: SimilarRuns,
): MetricValue[] {
  const rows = database.all(
    `SELECT ${valueRow.columns}
       FROM (SELECT id FROM experiments
             WHERE testbed_id = :testbedId AND deleted_at IS NULL AND imported_json IS NULL AND done > 0
               AND json_valid(draft_json) AND draft_json ->> '$.workload.kind' = :workload
               AND (:varied IS NULL OR varied_json = :varied)
             ORDER BY id DESC LIMIT 20) AS similar
       JOIN runs ON experiment_id = similar.id
       JOIN run_metrics ON run_id = runs.id AND metric = :metric
       WHERE ${valid} AND ${counts} AND value IS NOT NULL ORDER BY runs.id DESC LIMIT 5000`,
    { testbedId, metric, workload, varied: varied === null ? null : JSON.stringify(varied) },
  );
  return readEach(rows, valueRow.parse, leaveOut);
}

/** Run fields for comparisons, without verdicts and notes, because reading these takes most of the time. */
export type LastAttempt = Pick<
  RunSummary,
  | 'id'
  | 'trialNumber'
  | 'attempt'
  | 'block'
  | 'treatmentKey'
  | 'status'
  | 'flagged'
  | 'exclusion'
  | 'metrics'
  | 'bases'
> & { failed: string[] };

const attemptRow = defineRow(
  {
    id: z.int(),
    trialNumber: z.int(),
    attempt: z.int(),
    block: z.int(),
    treatmentKey: z.string(),
    status: z.enum(runStatuses),
    flagged: flag,
    failed: failedIds,
    exclusion: json(exclusionSchema).nullable(),
    bases: json(basesSchema).nullable(),
    metrics: z.string().transform(parseMetrics),
  },
  {
    failed: failedColumn,
    metrics: `(SELECT json_group_object(metric, value) FROM run_metrics
      WHERE run_id = runs.id AND metric = :metric)`,
  },
);

/**
 * Parses metrics by hand, because parsing thousands of numbers with a schema takes longer than the rest of a
 * comparison.
 */
function parseMetrics(text: string): LastAttempt['metrics'] {
  const metrics: Record<string, unknown> = JSON.parse(text);
  for (const metric in metrics) {
    const value = metrics[metric];
    if (value === null) continue;
    if (typeof value !== 'number') throw new TypeError(`${metric} is not a number`);
    // Values that cannot be a measurement are omitted.
    if (!(Math.abs(value) <= largestMeasure)) metrics[metric] = null;
  }
  return metrics as LastAttempt['metrics'];
}

/** Returns the counting attempt of each trial, oldest first, with the requested metric only. */
export function listLastAttempts(
  database: Database,
  experimentId: number,
  metric: string | null = null,
): LastAttempt[] {
  const rows = database.all(
    `SELECT ${attemptRow.columns} FROM runs WHERE experiment_id = :experimentId AND superseded = 0 ORDER BY id`,
    { experimentId, metric },
  );
  return readEach(
    rows,
    (input) => {
      const { bases, ...row } = attemptRow.parse(input);
      return bases === null ? row : { ...row, bases };
    },
    leaveOut,
  );
}

const metricsRow = defineRow(
  { runId: z.int(), metrics: z.string().transform(parseMetrics) },
  { metrics: 'json_group_object(metric, value)' },
);

/** Returns all metrics of each of these runs that has any. */
export function readRunMetrics(
  database: Database,
  runIds: readonly number[],
): Map<number, LastAttempt['metrics']> {
  const rows = database.all(
    `SELECT ${metricsRow.columns} FROM run_metrics
       WHERE run_id IN (SELECT value FROM json_each(:runIds)) GROUP BY run_id`,
    { runIds: JSON.stringify(runIds) },
  );
  return new Map(readEach(rows, metricsRow.parse, leaveOut).map(({ runId, metrics }) => [runId, metrics]));
}
