import { countingAttempt, runStatuses } from '@mqttlab/shared/domain/runs/run';
import * as z from 'zod';
import type { Database } from '../database.ts';

const rowSchema = z.object({ id: z.int(), attempt: z.int(), status: z.enum(runStatuses) });

/** Writes which attempt at a Trial counts: all others are superseded, and every query leaves those out. */
export function markCounting(
  database: Database,
  { experimentId, trialNumber }: { experimentId: number; trialNumber: number },
): void {
  const params = { experimentId, trialNumber };
  const attempts = database
    .all(
      `SELECT id, attempt, status FROM runs
       WHERE experiment_id = :experimentId AND trial_number = :trialNumber`,
      params,
    )
    .map((row) => rowSchema.parse(row));
  database.run(
    `UPDATE runs SET superseded = (id IS NOT :counting)
     WHERE experiment_id = :experimentId AND trial_number = :trialNumber`,
    { ...params, counting: countingAttempt(attempts)?.id ?? null },
  );
}
