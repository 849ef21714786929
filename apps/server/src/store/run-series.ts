import type { Series } from '@mqttlab/shared/domain/role-result';
import * as z from 'zod';
import { packColumn, unpackColumn, unpackNumbers } from './column-block.ts';
import type { Database } from './database.ts';
import { blob } from './row.ts';

export interface ResultKey {
  runId: number;
  role: string;
  deviceId: string;
}

export interface MetricSeries {
  runId: number;
  deviceId: string;
  series: Series;
}

const seriesRowSchema = z.object({
  run_id: z.int(),
  device_id: z.string(),
  metric: z.string(),
  unit: z.string(),
  times_block: blob,
  values_block: blob,
});

function parseRow(input: unknown): MetricSeries {
  const row = seriesRowSchema.parse(input);
  return {
    runId: row.run_id,
    deviceId: row.device_id,
    series: {
      metric: row.metric,
      unit: row.unit,
      timesMs: unpackNumbers(row.times_block),
      values: unpackColumn(row.values_block),
    },
  };
}

export function writeSeries(database: Database, key: ResultKey, all: readonly Series[]): void {
  for (const [position, series] of all.entries()) {
    database.run(
      `INSERT INTO run_series (run_id, role, device_id, position, metric, unit, times_block, values_block)
       VALUES (:runId, :role, :deviceId, :position, :metric, :unit, :times, :values)`,
      {
        ...key,
        position,
        metric: series.metric,
        unit: series.unit,
        times: packColumn(series.timesMs),
        values: packColumn(series.values),
      },
    );
  }
}

/** Every series of one result, in the order in which the device sent them. */
export function readSeries(database: Database, key: ResultKey): Series[] {
  return database
    .all(
      `SELECT run_id, device_id, metric, unit, times_block, values_block FROM run_series
       WHERE run_id = :runId AND role = :role AND device_id = :deviceId ORDER BY position`,
      { ...key },
    )
    .map((row) => parseRow(row).series);
}

/** One metric of one role for many runs, without touching anything else. */
export function readMetricSeries(
  database: Database,
  runIds: readonly number[],
  which: { metric: string; role: string },
): MetricSeries[] {
  return database
    .all(
      `SELECT run_id, device_id, metric, unit, times_block, values_block FROM run_series
       WHERE run_id IN (SELECT value FROM json_each(:runIds)) AND metric = :metric AND role = :role
       ORDER BY run_id, device_id`,
      { runIds: JSON.stringify(runIds), ...which },
    )
    .map(parseRow);
}
