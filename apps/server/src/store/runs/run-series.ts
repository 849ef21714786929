// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import { deflateSync, inflateSync } from 'node:zlib';
import { type MeterReadings, type MeterRunTimes, seriesOfMeter } from '@mqttlab/shared/analysis/apply-meter';
import type { Series } from '@mqttlab/shared/domain/runs/role-result';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { blob, defineRow, defineTable } from '../table.ts';

interface ResultKey {
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

/** Stores series; times that several series share are stored once. */
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

/** Returns every series of one result, in the order in which the device sent them. */
export function readSeries(database: Database, key: ResultKey): Series[] {
  return database
    .all(
      `SELECT ${seriesRow.columns} FROM ${joined}
       WHERE own.run_id = :runId AND own.role = :role AND own.device_id = :deviceId ORDER BY own.position`,
      { ...key },
    )
    .map((row) => parseRow(row).series);
}

/** Returns one metric of one role for many runs, without reading other data. */
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

const width = 8;

/**
 * Packs a column of 64-bit floats into one block: the bytes of all values transposed (first bytes first, as
 * in Parquet's BYTE_STREAM_SPLIT), then deflated. Lossless, and neighbours that are similar compress well.
 * null is stored as NaN, which is not a JSON number.
 */
export function packColumn(values: readonly (number | null)[]): Uint8Array {
  const plain = new Uint8Array(Float64Array.from(values, (value) => value ?? Number.NaN).buffer);
  const split = new Uint8Array(plain.length);
  const rows = values.length;
  for (let i = 0; i < plain.length; i += 1) split[(i % width) * rows + Math.floor(i / width)] = plain[i]!;
  return deflateSync(split);
}

/** Unpacks a column packed by packColumn. Throws RangeError if the block is truncated. */
export function unpackColumn(block: Uint8Array): (number | null)[] {
  const floats = unpackFloats(block);
  // Two cases, because an array that may contain null stores its numbers as boxed values.
  return floats.some(Number.isNaN)
    ? Array.from(floats, (value) => (Number.isNaN(value) ? null : value))
    : numbers(floats);
}

/** Like unpackColumn, for columns that never contain null. */
function unpackNumbers(block: Uint8Array): number[] {
  return numbers(unpackFloats(block));
}

function unpackFloats(block: Uint8Array): Float64Array {
  const split = inflateSync(block);
  if (split.length % width !== 0)
    throw new RangeError(`a column block of ${split.length} bytes is truncated`);
  const rows = split.length / width;
  const plain = new Uint8Array(split.length);
  for (let byte = 0; byte < width; byte += 1) {
    const from = byte * rows;
    for (let row = 0; row < rows; row += 1) plain[row * width + byte] = split[from + row]!;
  }
  return new Float64Array(plain.buffer);
}

/** Converts to an array. Array.from uses an iterator, which takes several times as long. */
function numbers(floats: Float64Array): number[] {
  const all: number[] = [];
  for (let i = 0; i < floats.length; i += 1) all.push(floats[i]!);
  return all;
}

export interface DeviceReadings {
  runId: number;
  role: string;
  deviceId: string;
  readings: MeterReadings;
}

const meterReadings = defineTable('meter_readings', {
  runId: z.int(),
  role: z.string(),
  deviceId: z.string(),
  name: z.string(),
  timesBlock: blob,
  powerBlock: blob,
});

/** Stores readings in one transaction. Replaces an earlier file about the same device in the same run. */
export function saveMeterReadings(
  database: Database,
  { runId, role, deviceId, readings }: DeviceReadings,
  uploadedAt: number,
): void {
  const key = { runId, role, deviceId };
  database.transaction(() => {
    meterReadings(database).remove({ run_id: runId, role, device_id: deviceId });
    meterReadings(database).insert(
      {
        ...key,
        name: readings.name,
        timesBlock: packColumn(readings.timesMs),
        powerBlock: packColumn(readings.powerW),
      },
      { uploaded_at: uploadedAt },
    );
  });
}

export function readMeterReadings(database: Database, runIds: readonly number[]): DeviceReadings[] {
  return database
    .all(
      `SELECT ${meterReadings.columns} FROM meter_readings WHERE run_id IN (SELECT value FROM json_each(:runIds))`,
      { runIds: JSON.stringify(runIds) },
    )
    .map((input) => {
      const { name, timesBlock, powerBlock, ...key } = meterReadings.parse(input);
      return {
        ...key,
        readings: { name, timesMs: unpackNumbers(timesBlock), powerW: unpackNumbers(powerBlock) },
      };
    });
}

/** Returns power series in which the readings of a meter replace the device's own series. */
export function withMeters(
  database: Database,
  { runIds, which }: { runIds: readonly number[]; which: { metric: string; role: string } },
  found: MetricSeries[],
): MetricSeries[] {
  const meters = readMeterReadings(database, which.metric === 'energy.power' ? runIds : []);
  const own = meters.filter(({ role }) => role === which.role);
  const others = found.filter(
    ({ runId, deviceId }) => !own.some((meter) => meter.runId === runId && meter.deviceId === deviceId),
  );
  return [
    ...others,
    ...own.map(({ runId, deviceId, readings }) => ({ runId, deviceId, series: seriesOfMeter(readings) })),
  ].sort((a, b) => a.runId - b.runId || a.deviceId.localeCompare(b.deviceId));
}

/** Maximum time before or after a run in which a meter's file is searched for an idle period, in ms. */
const reachMs = 24 * 3_600_000;

/**
 * Returns the times near one run at which a device was busy, in ms since the run's measure phase began.
 * Includes all runs on the same testbed, whose devices may share a machine, and all runs with the device on
 * any testbed. A time without an end is still in progress.
 */
export function readMeterRunTimes(database: Database, runId: number, deviceId: string): MeterRunTimes {
  const rows = database.all<{ id: number; fromMs: number; toMs: number | null }>(
    `SELECT other.id, other.started_at - run.measured_at AS fromMs, other.finished_at - run.measured_at AS toMs
       FROM runs AS run JOIN runs AS other ON other.started_at IS NOT NULL
         AND (other.id = run.id OR other.testbed_id = run.testbed_id
           OR other.id IN (SELECT run_id FROM run_devices WHERE device_id = :deviceId))
       WHERE run.id = :runId AND run.measured_at IS NOT NULL
         AND other.started_at < run.measured_at + :reachMs
         AND coalesce(other.finished_at, run.measured_at) > run.measured_at - :reachMs`,
    { runId, deviceId, reachMs },
  );
  const times = rows.map((row) => ({ ...row, toMs: row.toMs ?? Number.POSITIVE_INFINITY }));
  const own = times.find(({ id }) => id === runId);
  return {
    // If a run has no start time, no time can be identified as idle.
    own: own ?? { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY },
    others: times.filter(({ id }) => id !== runId),
  };
}
