import { type MeterReadings, seriesOfMeter } from '@mqttlab/shared/analysis/apply-meter';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { blob } from '../row.ts';
import { packColumn, unpackNumbers } from './column-block.ts';
import type { MetricSeries } from './run-series.ts';

export interface DeviceReadings {
  runId: number;
  role: string;
  deviceId: string;
  readings: MeterReadings;
}

/** One transaction; takes the place of an earlier file about the same device in the same Run. */
export function saveMeterReadings(
  database: Database,
  { runId, role, deviceId, readings }: DeviceReadings,
  uploadedAt: number,
): void {
  database.run(
    `INSERT OR REPLACE INTO meter_readings (run_id, role, device_id, name, uploaded_at, times_block, power_block)
     VALUES (:runId, :role, :deviceId, :name, :uploadedAt, :times, :power)`,
    {
      runId,
      role,
      deviceId,
      uploadedAt,
      name: readings.name,
      times: packColumn(readings.timesMs),
      power: packColumn(readings.powerW),
    },
  );
}

const rowSchema = z.object({
  run_id: z.int(),
  role: z.string(),
  device_id: z.string(),
  name: z.string(),
  times_block: blob,
  power_block: blob,
});

export function readMeterReadings(database: Database, runIds: readonly number[]): DeviceReadings[] {
  return database
    .all(
      `SELECT run_id, role, device_id, name, times_block, power_block FROM meter_readings
       WHERE run_id IN (SELECT value FROM json_each(:runIds))`,
      { runIds: JSON.stringify(runIds) },
    )
    .map((input) => {
      const row = rowSchema.parse(input);
      const readings = {
        name: row.name,
        timesMs: unpackNumbers(row.times_block),
        powerW: unpackNumbers(row.power_block),
      };
      return { runId: row.run_id, role: row.role, deviceId: row.device_id, readings };
    });
}

/** Series of power, with those of a meter in the place of what the device said itself. */
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
