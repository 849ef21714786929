import type { Database } from '../database.ts';

/**
 * Writes the progress of an experiment from the attempts of its Trials that count. A run that a crash interrupted counts as
 * failed until it is tried again.
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
         count(*) FILTER (WHERE status IN ('preparing', 'running', 'collecting'))
       FROM runs WHERE experiment_id = :experimentId AND superseded = 0)
     WHERE id = :experimentId`,
    { experimentId },
  );
}
