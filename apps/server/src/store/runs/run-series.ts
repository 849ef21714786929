import type { Series } from '@mqttlab/shared/domain/runs/role-result';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { blob, defineRow } from '../table.ts';
import { packColumn, unpackColumn, unpackNumbers } from './column-block.ts';

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

const seriesRow = defineRow(
  {
    runId: z.int(),
    deviceId: z.string(),
    metric: z.string(),
    unit: z.string(),
    timesBlock: blob,
    valuesBlock: blob,
  },
  {
    runId: 'own.run_id',
    deviceId: 'own.device_id',
    metric: 'own.metric',
    unit: 'own.unit',
    timesBlock: 'times.times_block',
    valuesBlock: 'own.values_block',
  },
);

function parseRow(input: unknown): MetricSeries {
  const { runId, deviceId, metric, unit, timesBlock, valuesBlock } = seriesRow.parse(input);
  const series = { metric, unit, timesMs: unpackNumbers(timesBlock), values: unpackColumn(valuesBlock) };
  return { runId, deviceId, series };
}

const joined = `run_series AS own JOIN run_series AS times ON times.run_id = own.run_id AND times.role = own.role
  AND times.device_id = own.device_id AND times.position = own.times_position`;

/** Times that several series share are stored once. */
export function writeSeries(database: Database, key: ResultKey, all: readonly Series[]): void {
  const known = new Map<string, number>();
  for (const [position, series] of all.entries()) {
    const timesKey = series.timesMs.join();
    const timesPosition = known.get(timesKey) ?? position;
    known.set(timesKey, timesPosition);
    database.run(
      `INSERT INTO run_series
         (run_id, role, device_id, position, metric, unit, times_position, times_block, values_block)
       VALUES (:runId, :role, :deviceId, :position, :metric, :unit, :timesPosition, :times, :values)`,
      {
        ...key,
        position,
        metric: series.metric,
        unit: series.unit,
        timesPosition,
        times: timesPosition === position ? packColumn(series.timesMs) : null,
        values: packColumn(series.values),
      },
    );
  }
}

/** Every series of one result, in the order in which the device sent them. */
export function readSeries(database: Database, key: ResultKey): Series[] {
  return database
    .all(
      `SELECT ${seriesRow.columns} FROM ${joined}
       WHERE own.run_id = :runId AND own.role = :role AND own.device_id = :deviceId ORDER BY own.position`,
      { ...key },
    )
    .map((row) => parseRow(row).series);
}

/** One metric of one role for many runs, without reading anything else. */
export function readMetricSeries(
  database: Database,
  runIds: readonly number[],
  which: { metric: string; role: string },
): MetricSeries[] {
  return database
    .all(
      `SELECT ${seriesRow.columns} FROM ${joined}
       WHERE own.run_id IN (SELECT value FROM json_each(:runIds)) AND own.metric = :metric AND own.role = :role
       ORDER BY own.run_id, own.device_id`,
      { runIds: JSON.stringify(runIds), metric: which.metric, role: which.role },
    )
    .map(parseRow);
}
