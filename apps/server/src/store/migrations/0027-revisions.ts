/**
 * Counts the changes of everything that an answer about an experiment depends on, so that answers can be cached. Also
 * an index that reads a page of the runs of an experiment without sorting all of them, and the facts of devices that
 * comparisons and exports show.
 */
export const revisions = {
  version: 27,
  sql: `
ALTER TABLE experiments ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_experiment ON runs (experiment_id, id);
ALTER TABLE run_results ADD COLUMN facts_json TEXT NOT NULL DEFAULT '{}';
CREATE INDEX runs_without_series ON runs (id) WHERE series_removed_at IS NOT NULL;

CREATE TRIGGER revision_of_experiment AFTER UPDATE ON experiments WHEN new.revision = old.revision BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = new.id;
END;
${['runs', 'run_results', 'meter_readings', 'run_files']
  .flatMap((table) =>
    [
      ['INSERT', 'new'],
      ['UPDATE', 'new'],
      ['DELETE', 'old'],
    ].map(
      ([event, row]) => `
CREATE TRIGGER revision_of_${table}_${event?.toLowerCase()} AFTER ${event} ON ${table} BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = ${
    table === 'runs' ? `${row}.experiment_id` : `(SELECT experiment_id FROM runs WHERE id = ${row}.run_id)`
  };
END;`,
    ),
  )
  .join('')}

-- Answers name devices. Which experiments a device took part in would need a scan of every result.
CREATE TRIGGER revision_of_device_name AFTER UPDATE OF name ON devices WHEN new.name IS NOT old.name BEGIN
  UPDATE experiments SET revision = revision + 1;
END;
CREATE TRIGGER revision_of_device_delete AFTER DELETE ON devices BEGIN
  UPDATE experiments SET revision = revision + 1;
END;

-- Answers that took long to compute, compressed. They are removed with any change of an experiment that they are about.
CREATE TABLE stored_answers (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  program TEXT NOT NULL,
  revision TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  packed BLOB NOT NULL
);
CREATE TABLE stored_answer_experiments (
  experiment_id INTEGER NOT NULL,
  answer_id INTEGER NOT NULL REFERENCES stored_answers (id) ON DELETE CASCADE,
  PRIMARY KEY (experiment_id, answer_id)
) WITHOUT ROWID;
CREATE INDEX stored_answer_experiments_answer ON stored_answer_experiments (answer_id);
CREATE TRIGGER outdated_answers AFTER UPDATE OF revision ON experiments BEGIN
  DELETE FROM stored_answers
  WHERE id IN (SELECT answer_id FROM stored_answer_experiments WHERE experiment_id = new.id);
END;
CREATE TRIGGER answers_of_removed AFTER DELETE ON experiments BEGIN
  DELETE FROM stored_answers
  WHERE id IN (SELECT answer_id FROM stored_answer_experiments WHERE experiment_id = old.id);
END;
`,
};
