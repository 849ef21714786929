import type { MeterRunTimes } from '@mqttlab/shared/analysis/apply-meter';
import * as z from 'zod';
import type { Database } from '../database.ts';

/** Further away nothing of a meter's file is looked at for an idle time. */
const reachMs = 24 * 3_600_000;

const rowSchema = z.object({ id: z.int(), from_ms: z.number(), to_ms: z.number().nullable() });

/**
 * When a device had runs to do around one Run, in ms since its measure phase began: every run of the same testbed,
 * whose devices may share a machine, and of whatever testbed the device was in. Without an end: not over yet.
 */
export function readMeterRunTimes(database: Database, runId: number, deviceId: string): MeterRunTimes {
  const rows = database
    .all(
      `SELECT other.id, other.started_at - run.measured_at AS from_ms, other.finished_at - run.measured_at AS to_ms
       FROM runs AS run JOIN runs AS other ON other.started_at IS NOT NULL
         AND (other.id = run.id OR other.testbed_id = run.testbed_id
           OR other.id IN (SELECT run_id FROM run_devices WHERE device_id = :deviceId))
       WHERE run.id = :runId AND run.measured_at IS NOT NULL
         AND other.started_at < run.measured_at + :reachMs
         AND coalesce(other.finished_at, run.measured_at) > run.measured_at - :reachMs`,
      { runId, deviceId, reachMs },
    )
    .map((row) => rowSchema.parse(row));
  const times = rows.map(({ id, from_ms: fromMs, to_ms: toMs }) => ({
    id,
    fromMs,
    toMs: toMs ?? Number.POSITIVE_INFINITY,
  }));
  const own = times.find(({ id }) => id === runId);
  return {
    // A run without a beginning leaves no time that is known to be idle.
    own: own ?? { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY },
    others: times.filter(({ id }) => id !== runId),
  };
}
