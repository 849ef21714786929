import { type HistogramJson, histogramJsonSchema } from '@mqttlab/shared/domain/role-result';
import * as z from 'zod';
import type { Database } from './database.ts';
import { unpackJson } from './packed-json.ts';
import { blob } from './row.ts';

const rowSchema = z.object({ run_id: z.int(), latency_packed: blob });

/** Latency histograms of these runs, one for each subscriber device. */
export function* latencyHistograms(
  database: Database,
  runIds: readonly number[],
): Generator<{ runId: number; histogram: HistogramJson }> {
  const rows = database.all(
    `SELECT run_id, latency_packed FROM run_results
     WHERE run_id IN (SELECT value FROM json_each(:runIds)) AND latency_packed IS NOT NULL ORDER BY run_id`,
    { runIds: JSON.stringify(runIds) },
  );
  for (const input of rows) {
    const row = rowSchema.parse(input);
    yield { runId: row.run_id, histogram: unpackJson(row.latency_packed, histogramJsonSchema) };
  }
}
