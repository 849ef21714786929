import { largestMeasure } from '@mqttlab/shared/domain/bounds';
import * as z from 'zod';
import { leaveOut, readEach } from '../broken-row.ts';
import type { Database } from '../database.ts';
import { json } from '../row.ts';

/** One metric of one valid Run: done, not flagged, not excluded, the attempt of its Trial that counts. */
export interface MetricValue {
  runId: number;
  experimentId: number;
  block: number;
  treatmentKey: string;
  value: number;
  /** What figures of this Run rest on, by group of metrics. */
  bases: Record<string, string>;
}

const rowSchema = z
  .object({
    run_id: z.int(),
    experiment_id: z.int(),
    block: z.int(),
    treatment_key: z.string(),
    value: z.number(),
    bases_json: json(z.record(z.string(), z.string())).nullable(),
  })
  // What no measurement gives is left out.
  .refine(({ value }) => Math.abs(value) <= largestMeasure)
  .transform(
    (row): MetricValue => ({
      runId: row.run_id,
      experimentId: row.experiment_id,
      block: row.block,
      treatmentKey: row.treatment_key,
      value: row.value,
      bases: row.bases_json ?? {},
    }),
  );

function parseRows(rows: readonly unknown[]): MetricValue[] {
  return readEach(rows, (row) => rowSchema.parse(row), leaveOut);
}

const valid = `flagged = 0 AND exclusion_json IS NULL`;
const counts = `superseded = 0 AND runs.status = 'done'`;

/** `finishing`: a Run that counts for its Trial already, for its summary is written just before it is done. */
export function valuesOfExperiment(
  database: Database,
  experimentId: number,
  { metric, finishing = null }: { metric: string; finishing?: number | null },
): MetricValue[] {
  const rows = database.all(
    `SELECT runs.id AS run_id, experiment_id, block, treatment_key, value, bases_json FROM runs
       JOIN run_metrics ON run_id = runs.id AND metric = :metric
       WHERE experiment_id = :experimentId AND ${valid} AND value IS NOT NULL AND (runs.id = :finishing
         OR (${counts} AND trial_number IS NOT (SELECT trial_number FROM runs WHERE id = :finishing)))
       ORDER BY runs.id`,
    { experimentId, metric, finishing },
  );
  return parseRows(rows);
}

export interface SimilarRuns {
  testbedId: string;
  metric: string;
  /** Labels of varied factors; null takes every experiment of the testbed. */
  varied: readonly string[] | null;
}

/** Values of the latest experiments of a kind, at most 5000, newest first. */
export function valuesOfSimilar(
  database: Database,
  { testbedId, metric, varied }: SimilarRuns,
): MetricValue[] {
  const rows = database.all(
    `SELECT runs.id AS run_id, experiment_id, block, treatment_key, value, bases_json
       FROM (SELECT id FROM experiments
             WHERE testbed_id = :testbedId AND deleted_at IS NULL AND imported_json IS NULL AND done > flagged
               AND (:varied IS NULL OR varied_json = :varied)
             ORDER BY id DESC LIMIT 20) AS similar
       JOIN runs ON experiment_id = similar.id
       JOIN run_metrics ON run_id = runs.id AND metric = :metric
       WHERE ${valid} AND ${counts} AND value IS NOT NULL ORDER BY runs.id DESC LIMIT 5000`,
    { testbedId, metric, varied: varied === null ? null : JSON.stringify(varied) },
  );
  return parseRows(rows);
}
