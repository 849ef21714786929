import { applyMeter } from '@mqttlab/shared/analysis/apply-meter';
import { environmentFacts } from '@mqttlab/shared/analysis/environment';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import {
  type HistogramJson,
  histogramJsonSchema,
  type RoleResult,
  roleResultSchema,
} from '@mqttlab/shared/domain/runs/role-result';
import { parseHistogramJson } from '@mqttlab/shared/statistics/histogram/histogram-layout';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { blob, defineRow, defineTable, json, leaveOut, packJson, readEach, unpackJson } from '../table.ts';
import { readMeterReadings, readMeterRunTimes, readSeries, writeSeries } from './run-series.ts';

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

/** A result without its series and histograms, which are stored separately. */
const bodySchema = roleResultSchema.omit({ series: true, latency: true, lateness: true });

const resultRow = defineRow(
  {
    role: z.string(),
    deviceId: z.string(),
    device: z.string(),
    bodyPacked: blob,
    latencyPacked: blob.nullable(),
    latenessPacked: blob.nullable(),
  },
  { role: 'result.role', device: 'coalesce(devices.name, device_id)' },
);

/**
 * Stores a result in one transaction. The result is on disk on return, because the device then deletes its
 * copy. Returns false if this device's result in this role is already stored; nothing is overwritten.
 */
export function saveRoleResult(
  database: Database,
  { runId, deviceId, result, receivedAt }: NewResult,
): boolean {
  const { series, latency, lateness, ...body } = result;
  return database.syncedTransaction(() => {
    const { changes } = database.run(
      `INSERT INTO run_results
         (run_id, role, device_id, received_at, facts_json, body_packed, latency_packed, lateness_packed)
       VALUES (:runId, :role, :deviceId, :receivedAt, :facts, :body, :latency, :lateness)
       ON CONFLICT DO NOTHING`,
      {
        runId,
        role: result.role,
        deviceId,
        receivedAt,
        facts: JSON.stringify(shownFactsOf(body.environment)),
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

/** Returns results by role; several devices in a role are in the order in which they participated. */
export function readStoredResults(
  database: Database,
  runId: number,
  { withSeries = true }: { withSeries?: boolean } = {},
): StoredResult[] {
  const meters = readMeterReadings(database, [runId]);
  return database
    .all(
      `SELECT ${resultRow.columns} FROM run_results AS result LEFT JOIN devices ON devices.id = device_id
       WHERE run_id = :runId ORDER BY result.role, device_id`,
      { runId },
    )
    .map((input) => {
      const { deviceId, role, device, ...row } = resultRow.parse(input);
      const result = {
        ...unpackJson(row.bodyPacked, bodySchema),
        device,
        latency: row.latencyPacked && unpackJson(row.latencyPacked, histogramJsonSchema),
        lateness: row.latenessPacked && unpackJson(row.latenessPacked, histogramJsonSchema),
        series: withSeries ? readSeries(database, { runId, role, deviceId }) : [],
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

const bodyRow = defineRow({ role: z.string(), deviceId: z.string(), bodyPacked: blob });

/** Removes the log lines from the results of a run. Unreadable results stay unchanged. */
export function dropLogOfResults(database: Database, runId: number): void {
  const rows = database.all(`SELECT ${bodyRow.columns} FROM run_results WHERE run_id = :runId`, { runId });
  const withoutLog = (row: unknown) => {
    const { bodyPacked, ...key } = bodyRow.parse(row);
    // Unpacked without a schema, so that the rest stays as the device sent it, whatever its version.
    const body = unpackJson(bodyPacked, z.record(z.string(), z.unknown()));
    return { ...key, packed: packJson({ ...body, log: [] }) };
  };
  for (const change of readEach(rows, withoutLog, leaveOut)) {
    database.run(
      `UPDATE run_results SET body_packed = :packed
       WHERE run_id = :runId AND role = :role AND device_id = :deviceId`,
      { runId, ...change },
    );
  }
}

/**
 * Environment facts that comparisons and exports show. They are stored in a separate column, because reading
 * a result takes a long time.
 */
const shownFacts = [...Object.keys(environmentFacts), 'device.hostname'];

function shownFactsOf(environment: RoleResult['environment']): RoleResult['environment'] {
  return Object.fromEntries(shownFacts.map((name) => [name, environment[name] ?? null]));
}

const factsRow = defineRow({ facts: json(roleResultSchema.shape.environment) });

/** Returns the shown facts about the devices in these runs. Unreadable facts are omitted. */
export function readEnvironments(database: Database, runIds: readonly number[]): RoleResult['environment'][] {
  const rows = database.all(
    `SELECT ${factsRow.columns} FROM run_results
     WHERE run_id IN (SELECT value FROM json_each(:runIds)) ORDER BY run_id, role, device_id`,
    { runIds: JSON.stringify(runIds) },
  );
  return readEach(rows, (row) => factsRow.parse(row).facts, leaveOut);
}

const latencyRow = defineRow({ latencyPacked: blob });

/** Yields the latency histograms of these runs, one for each subscriber device. */
export function* readLatencyHistograms(
  database: Database,
  runIds: readonly number[],
): Generator<HistogramJson> {
  const rows = database.all(
    `SELECT ${latencyRow.columns} FROM run_results
     WHERE run_id IN (SELECT value FROM json_each(:runIds)) AND latency_packed IS NOT NULL ORDER BY run_id`,
    { runIds: JSON.stringify(runIds) },
  );
  for (const input of rows) {
    yield unpackJson(latencyRow.parse(input).latencyPacked, { parse: parseHistogramJson });
  }
}

const runDevices = defineTable('run_devices', { deviceId: z.string(), role: z.enum(roles) });

/**
 * Replaces the stored devices of this run. The data is on disk on return, so that a run that devices know
 * keeps its number after a power failure.
 */
export function saveRunDevices(
  database: Database,
  runId: number,
  devices: readonly { deviceId: string; role: Role }[],
): void {
  database.syncedTransaction(() => {
    database.run('DELETE FROM run_devices WHERE run_id = :runId', { runId });
    for (const { deviceId, role } of devices) {
      runDevices(database).insert({ deviceId, role }, { run_id: runId });
    }
  });
}

/** Returns roles by device; empty for a run from before this was stored. */
export function readRunDevices(database: Database, runId: number): Map<string, Role> {
  const rows = database.all(`SELECT ${runDevices.columns} FROM run_devices WHERE run_id = :runId`, { runId });
  return new Map(rows.map(runDevices.parse).map(({ deviceId, role }) => [deviceId, role]));
}
