import { applyMeter } from '@mqttlab/shared/analysis/apply-meter';
import {
  histogramJsonSchema,
  type RoleResult,
  roleResultSchema,
} from '@mqttlab/shared/domain/runs/role-result';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { packJson, unpackJson } from '../packed-json.ts';
import { blob } from '../row.ts';
import { readMeterReadings } from './meter-readings.ts';
import { readMeterRunTimes } from './meter-run-times.ts';
import { readSeries, writeSeries } from './run-series.ts';

export interface StoredResult {
  deviceId: string;
  result: RoleResult;
}

interface NewResult {
  runId: number;
  deviceId: string;
  result: RoleResult;
  /** Unix ms. */
  receivedAt: number;
}

/** What is left of a result when series and histograms have blocks of their own. */
const bodySchema = roleResultSchema.omit({ series: true, latency: true, lateness: true });

const resultRowSchema = z.object({
  role: z.string(),
  device_id: z.string(),
  device: z.string(),
  body_packed: blob,
  latency_packed: blob.nullable(),
  lateness_packed: blob.nullable(),
});

/**
 * One transaction, on the disk once it returns: the device forgets its copy then. False when this role's result of this
 * device is already there; nothing is overwritten.
 */
export function saveRoleResult(
  database: Database,
  { runId, deviceId, result, receivedAt }: NewResult,
): boolean {
  const { series, latency, lateness, ...body } = result;
  return database.syncedTransaction(() => {
    const { changes } = database.run(
      `INSERT INTO run_results (run_id, role, device_id, received_at, body_packed, latency_packed, lateness_packed)
       VALUES (:runId, :role, :deviceId, :receivedAt, :body, :latency, :lateness)
       ON CONFLICT DO NOTHING`,
      {
        runId,
        role: result.role,
        deviceId,
        receivedAt,
        body: packJson(body),
        latency: latency ? packJson(latency) : null,
        lateness: lateness ? packJson(lateness) : null,
      },
    );
    if (changes === 0) return false;
    writeSeries(database, { runId, role: result.role, deviceId }, series);
    return true;
  });
}

/** By role; several devices of a role in the order in which they took part. */
export function readResults(database: Database, runId: number): StoredResult[] {
  const meters = readMeterReadings(database, [runId]);
  return database
    .all(
      `SELECT result.role, device_id, coalesce(devices.name, device_id) AS device, body_packed, latency_packed,
         lateness_packed
       FROM run_results AS result LEFT JOIN devices ON devices.id = device_id
       WHERE run_id = :runId ORDER BY result.role, device_id`,
      { runId },
    )
    .map((input) => {
      const row = resultRowSchema.parse(input);
      const { device_id: deviceId, role } = row;
      const result = {
        ...unpackJson(row.body_packed, bodySchema),
        device: row.device,
        latency: row.latency_packed ? unpackJson(row.latency_packed, histogramJsonSchema) : null,
        lateness: row.lateness_packed ? unpackJson(row.lateness_packed, histogramJsonSchema) : null,
        series: readSeries(database, { runId, role, deviceId }),
      };
      const meter = meters.find((entry) => entry.role === role && entry.deviceId === deviceId);
      return {
        deviceId,
        result: meter
          ? applyMeter(result, meter.readings, readMeterRunTimes(database, runId, deviceId))
          : result,
      };
    })
    .sort(({ result: a }, { result: b }) => a.role.localeCompare(b.role) || a.share.index - b.share.index);
}
