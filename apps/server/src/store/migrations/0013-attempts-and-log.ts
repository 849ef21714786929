/**
 * The attempt at a trial that counts is the newest that is done, where none is the newest: also where a late result
 * was taken before there was that rule. How often settling a run was begun, so that one that ends the server is not
 * tried for ever. Log lines are found by their experiment.
 */
export const attemptsAndLog = {
  version: 13,
  sql: `
ALTER TABLE runs ADD COLUMN settle_tries INTEGER NOT NULL DEFAULT 0;

UPDATE runs SET superseded = (id <> (
  SELECT id FROM runs AS other
  WHERE other.experiment_id = runs.experiment_id AND other.trial_number = runs.trial_number
  ORDER BY other.status = 'done' DESC, other.attempt DESC LIMIT 1));

UPDATE experiments SET (done, failed, cancelled, flagged, retried, running) = (
  SELECT
    count(*) FILTER (WHERE status = 'done'),
    count(*) FILTER (WHERE status IN ('failed', 'interrupted')),
    count(*) FILTER (WHERE status = 'cancelled'),
    count(*) FILTER (WHERE status = 'done' AND flagged = 1),
    count(*) FILTER (WHERE attempt > 1),
    count(*) FILTER (WHERE status IN ('preparing', 'running', 'collecting'))
  FROM runs WHERE experiment_id = experiments.id AND superseded = 0);

CREATE INDEX log_lines_experiment ON log_lines (experiment_id, id) WHERE experiment_id IS NOT NULL;
CREATE INDEX log_lines_alone ON log_lines (id) WHERE experiment_id IS NULL AND run_id IS NULL;
`,
};
