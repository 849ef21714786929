import type { HistogramJson } from '@mqttlab/shared/domain/runs/role-result';
import { parseHistogramJson } from '@mqttlab/shared/statistics/histogram/histogram-layout';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { unpackJson } from '../packed-json.ts';
import { blob } from '../row.ts';

const rowSchema = z.object({ latency_packed: blob });

/** Latency histograms of these runs, one for each subscriber device. */
export function* latencyHistograms(database: Database, runIds: readonly number[]): Generator<HistogramJson> {
  const rows = database.all(
    `SELECT latency_packed FROM run_results
     WHERE run_id IN (SELECT value FROM json_each(:runIds)) AND latency_packed IS NOT NULL ORDER BY run_id`,
    { runIds: JSON.stringify(runIds) },
  );
  for (const input of rows) {
    yield unpackJson(rowSchema.parse(input).latency_packed, { parse: parseHistogramJson });
  }
}
