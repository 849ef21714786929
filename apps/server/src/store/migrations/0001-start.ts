/** Times are Unix ms, durations ms. Columns named *_json hold JSON, *_packed deflated JSON. */
export const start = {
  version: 1,
  sql: `
CREATE TABLE experiments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  status TEXT NOT NULL,
  name TEXT NOT NULL,
  question TEXT NOT NULL,
  notes TEXT NOT NULL,
  tags_json TEXT NOT NULL,
  testbed_id TEXT NOT NULL,
  draft_json TEXT NOT NULL,
  plan_packed BLOB,
  varied_json TEXT NOT NULL,
  headline_json TEXT,
  trials INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  flagged INTEGER NOT NULL DEFAULT 0,
  retried INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  started_at REAL,
  finished_at REAL,
  queued_at REAL,
  deleted_at REAL
) STRICT;
CREATE INDEX experiments_status ON experiments (deleted_at, status);

CREATE TABLE experiment_tags (
  experiment_id INTEGER NOT NULL REFERENCES experiments (id),
  tag TEXT NOT NULL,
  PRIMARY KEY (tag, experiment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX experiment_tags_experiment ON experiment_tags (experiment_id);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  experiment_id INTEGER NOT NULL REFERENCES experiments (id),
  testbed_id TEXT NOT NULL,
  trial_number INTEGER NOT NULL,
  block INTEGER NOT NULL,
  treatment_key TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  retry_of INTEGER REFERENCES runs (id),
  superseded INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  flagged INTEGER NOT NULL DEFAULT 0,
  started_at REAL,
  finished_at REAL,
  measured_at REAL,
  overhead_ms REAL,
  failure_json TEXT,
  verdicts_json TEXT NOT NULL DEFAULT '[]',
  UNIQUE (experiment_id, trial_number, attempt)
) STRICT;
CREATE INDEX runs_progress ON runs (experiment_id, superseded, status, flagged, attempt);
CREATE INDEX runs_status ON runs (status);
CREATE INDEX runs_unsettled ON runs (id) WHERE status IN ('planned', 'preparing', 'running', 'collecting');
CREATE INDEX runs_overhead ON runs (testbed_id, id) WHERE status = 'done' AND overhead_ms IS NOT NULL;

CREATE TABLE run_metrics (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  metric TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (run_id, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_results (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  role TEXT NOT NULL,
  device_id TEXT NOT NULL,
  received_at REAL NOT NULL,
  body_packed BLOB NOT NULL,
  latency_packed BLOB,
  lateness_packed BLOB,
  PRIMARY KEY (run_id, role, device_id)
) STRICT;

CREATE TABLE run_series (
  run_id INTEGER NOT NULL,
  role TEXT NOT NULL,
  device_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  metric TEXT NOT NULL,
  unit TEXT NOT NULL,
  -- Series that were sampled together share the times of the first of them.
  times_position INTEGER NOT NULL,
  times_block BLOB,
  values_block BLOB NOT NULL,
  PRIMARY KEY (run_id, role, device_id, position),
  FOREIGN KEY (run_id, role, device_id) REFERENCES run_results (run_id, role, device_id)
) STRICT;
CREATE INDEX run_series_metric ON run_series (run_id, metric, role);

CREATE TABLE log_lines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  experiment_id INTEGER REFERENCES experiments (id),
  run_id INTEGER REFERENCES runs (id),
  at REAL NOT NULL,
  level TEXT NOT NULL,
  source TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX log_lines_run ON log_lines (run_id, id) WHERE run_id IS NOT NULL;

CREATE TABLE shares (
  token TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  subject_json TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL,
  revoked_at REAL,
  frozen_at REAL,
  snapshot_packed BLOB
) STRICT;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at REAL NOT NULL,
  last_used_at REAL,
  revoked_at REAL,
  revoked_by TEXT
) STRICT;

CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  testbed_id TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  capabilities_json TEXT,
  created_at REAL NOT NULL,
  last_seen_at REAL
) STRICT;
`,
};
