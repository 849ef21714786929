/**
 * Of the attempts at a trial that are done the first valid one counts, else the first: a flagged run can be run again.
 */
export const validAttempts = {
  version: 21,
  sql: `
UPDATE runs SET superseded = (id <> (
  SELECT id FROM runs AS other
  WHERE other.experiment_id = runs.experiment_id AND other.trial_number = runs.trial_number
  ORDER BY other.status = 'done' DESC, other.status = 'done' AND other.flagged = 0 DESC,
    iif(other.status = 'done', -other.attempt, other.attempt) DESC LIMIT 1));

UPDATE experiments SET (done, failed, cancelled, flagged, retried) = (
  SELECT
    count(*) FILTER (WHERE status = 'done'),
    count(*) FILTER (WHERE status IN ('failed', 'interrupted')),
    count(*) FILTER (WHERE status = 'cancelled'),
    count(*) FILTER (WHERE status = 'done' AND flagged = 1),
    count(*) FILTER (WHERE attempt > 1)
  FROM runs WHERE experiment_id = experiments.id AND superseded = 0);
`,
};
