import { countingAttempt } from '@mqttlab/shared/domain/runs/run';
import { runStatuses } from '@mqttlab/shared/domain/runs/statuses';
import { quantile } from '@mqttlab/shared/statistics/descriptive/summary';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineRow, flag } from '../table.ts';

const attemptRow = defineRow({ id: z.int(), attempt: z.int(), status: z.enum(runStatuses), flagged: flag });

type TrialOf = { experimentId: number; trialNumber: number };

/** Stores which attempt at a trial counts. All other attempts are superseded, and every query omits them. */
export function markCounting(database: Database, { experimentId, trialNumber }: TrialOf): void {
  const params = { experimentId, trialNumber };
  database.run(
    `UPDATE runs SET superseded = (id IS NOT :counting)
     WHERE experiment_id = :experimentId AND trial_number = :trialNumber`,
    { ...params, counting: countingAttempt(attemptsAt(database, params))?.id ?? null },
  );
}

/** Returns true if this run will be the counting attempt when it is completed. */
export function willCount(database: Database, runId: number): boolean {
  const trial = database.get(`SELECT ${trialRow.columns} FROM runs WHERE id = :runId`, { runId });
  const attempts = attemptsAt(database, trialRow.parse(trial)).map((attempt) =>
    attempt.id === runId ? { ...attempt, status: 'done' as const } : attempt,
  );
  return countingAttempt(attempts)?.id === runId;
}

const trialRow = defineRow({ experimentId: z.int(), trialNumber: z.int() });

function attemptsAt(database: Database, { experimentId, trialNumber }: TrialOf) {
  return database
    .all(
      `SELECT ${attemptRow.columns} FROM runs
       WHERE experiment_id = :experimentId AND trial_number = :trialNumber`,
      { experimentId, trialNumber },
    )
    .map(attemptRow.parse);
}

/**
 * Updates the progress of an experiment from the counting attempts of its trials. A run that a crash interrupted counts
 * as failed until it is retried.
 */
export function recount(database: Database, experimentId: number): void {
  database.run(
    `UPDATE experiments SET (done, failed, cancelled, flagged, retried, running) = (
       SELECT
         count(*) FILTER (WHERE status = 'done'),
         count(*) FILTER (WHERE status IN ('failed', 'interrupted')),
         count(*) FILTER (WHERE status = 'cancelled'),
         count(*) FILTER (WHERE status = 'done' AND flagged = 1),
         count(*) FILTER (WHERE attempt > 1),
         (SELECT count(*) FROM runs WHERE experiment_id = :experimentId
            AND status IN ('preparing', 'running', 'collecting'))
       FROM runs WHERE experiment_id = :experimentId AND superseded = 0)
     WHERE id = :experimentId`,
    { experimentId },
  );
}

const recentRuns = 50;

/**
 * Returns the median overhead of the most recent finished runs on a testbed, in ms; null before the first
 * run.
 */
export function medianOverheadMs(database: Database, testbedId: string): number | null {
  const found = database.column<number>(
    `SELECT overhead_ms FROM runs
     WHERE testbed_id = :testbedId AND status = 'done' AND overhead_ms IS NOT NULL
     ORDER BY id DESC LIMIT ${recentRuns}`,
    { testbedId },
  );
  return quantile(found, 0.5);
}
