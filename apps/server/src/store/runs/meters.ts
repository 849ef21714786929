import { type MeterReadings, type MeterRunTimes, seriesOfMeter } from '@mqttlab/shared/analysis/apply-meter';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { blob, defineTable } from '../table.ts';
import { type MetricSeries, packColumn, unpackNumbers } from './run-series.ts';

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

/** One transaction; replaces an earlier file about the same device in the same run. */
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

/** Series of power; readings of a meter replace the device's own. */
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

/** Maximum distance from the run at which a meter's file is searched for an idle time, in ms. */
const reachMs = 24 * 3_600_000;

/**
 * Times around one run when a device was busy, in ms since the run's measure phase began. Includes all runs of the same
 * testbed, whose devices may share a machine, and all runs of any testbed with the device. Without an end: not
 * finished.
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
