import { largestMeasure } from '@mqttlab/shared/domain/bounds';
import { exclusionSchema, type RunSummary, runStatuses } from '@mqttlab/shared/domain/runs/run';
import * as z from 'zod';
import { leaveOut, readEach } from '../broken-row.ts';
import type { Database } from '../database.ts';
import { flag, json } from '../row.ts';

/** What a comparison wants of a Run: no verdicts, no notes, for reading those takes longer than all the rest. */
export type LastAttempt = Pick<
  RunSummary,
  'id' | 'block' | 'treatmentKey' | 'status' | 'flagged' | 'exclusion' | 'metrics' | 'bases'
>;

const rowSchema = z.object({
  id: z.int(),
  block: z.int(),
  treatment_key: z.string(),
  status: z.enum(runStatuses),
  flagged: flag,
  exclusion_json: json(exclusionSchema).nullable(),
  bases_json: json(z.record(z.string(), z.string())).nullable(),
  metrics_json: z.string(),
});

/** Checked by hand: a schema takes longer over these thousands of numbers than all the rest of a comparison. */
function parseMetrics(text: string): LastAttempt['metrics'] {
  const metrics: Record<string, unknown> = JSON.parse(text);
  for (const metric in metrics) {
    const value = metrics[metric];
    if (value === null) continue;
    if (typeof value !== 'number') throw new TypeError(`${metric} is no number`);
    // What no measurement gives is left out.
    if (!(Math.abs(value) <= largestMeasure)) metrics[metric] = null;
  }
  return metrics as LastAttempt['metrics'];
}

/** The attempt of each Trial that counts, oldest first; with all its metrics, or only the one that is named. */
export function listLastAttempts(database: Database, experimentId: number, only?: string): LastAttempt[] {
  const rows = database.all(
    `SELECT id, block, treatment_key, status, flagged, exclusion_json, bases_json,
         (SELECT json_group_object(metric, value) FROM run_metrics
           WHERE run_id = runs.id AND (:only IS NULL OR metric = :only)) AS metrics_json
       FROM runs WHERE experiment_id = :experimentId AND superseded = 0 ORDER BY id`,
    { experimentId, only: only ?? null },
  );
  return readEach(
    rows,
    (input) => {
      const row = rowSchema.parse(input);
      return {
        id: row.id,
        block: row.block,
        treatmentKey: row.treatment_key,
        status: row.status,
        flagged: row.flagged,
        exclusion: row.exclusion_json,
        metrics: parseMetrics(row.metrics_json),
        ...(row.bases_json === null ? {} : { bases: row.bases_json }),
      };
    },
    leaveOut,
  );
}
