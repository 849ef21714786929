-- The database of mqttlab 1.0. Migrations in database.ts start from here.
-- Times are Unix ms and durations ms. Columns named *_json hold JSON, *_packed deflated JSON, *_block packed numbers.

-- Experiments and what belongs to them

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
  -- Progress, computed from the counting attempts at each trial.
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
  deleted_at REAL,
  -- Source of an imported experiment.
  imported_json TEXT,
  started_by TEXT,
  -- Retention never removes series and logs of this experiment.
  keep_everything INTEGER NOT NULL DEFAULT 0,
  -- Counts the changes of everything that an answer about the experiment depends on, so that answers can be cached.
  revision INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX experiments_status ON experiments (deleted_at, status);

CREATE TABLE experiment_tags (
  experiment_id INTEGER NOT NULL REFERENCES experiments (id),
  tag TEXT NOT NULL,
  PRIMARY KEY (tag, experiment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX experiment_tags_experiment ON experiment_tags (experiment_id);

-- Studies of users.
CREATE TABLE own_studies (
  id TEXT PRIMARY KEY,
  file_json TEXT NOT NULL,
  created_at REAL NOT NULL
) STRICT;

-- Experiments that were started together as one study.
CREATE TABLE study_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  study_id TEXT NOT NULL,
  title TEXT NOT NULL,
  testbed_id TEXT NOT NULL,
  scale TEXT NOT NULL,
  parts_json TEXT NOT NULL,
  file_json TEXT,
  created_at REAL NOT NULL
) STRICT;

-- Runs and their evidence

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  experiment_id INTEGER NOT NULL REFERENCES experiments (id),
  testbed_id TEXT NOT NULL,
  trial_number INTEGER NOT NULL,
  block INTEGER NOT NULL,
  treatment_key TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  retry_of INTEGER REFERENCES runs (id),
  -- Another attempt at the same trial counts.
  superseded INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  flagged INTEGER NOT NULL DEFAULT 0,
  started_at REAL,
  finished_at REAL,
  measured_at REAL,
  overhead_ms REAL,
  failure_json TEXT,
  verdicts_json TEXT NOT NULL DEFAULT '[]',
  notes TEXT NOT NULL DEFAULT '',
  exclusion_json TEXT,
  -- Basis of the metrics of each group.
  bases_json TEXT,
  tags_json TEXT NOT NULL DEFAULT '[]',
  -- Attempts at finishing the run after a restart: a run that crashes the server is not tried for ever.
  settle_tries INTEGER NOT NULL DEFAULT 0,
  -- Version of the definitions of metrics and verdicts, and what the last recomputation changed.
  definitions INTEGER NOT NULL DEFAULT 1,
  redefined_json TEXT,
  series_removed_at REAL,
  UNIQUE (experiment_id, trial_number, attempt)
) STRICT;
CREATE INDEX runs_progress ON runs (experiment_id, superseded, status, flagged, attempt);
CREATE INDEX runs_status ON runs (status);
CREATE INDEX runs_unsettled ON runs (id) WHERE status IN ('planned', 'preparing', 'running', 'collecting');
CREATE INDEX runs_overhead ON runs (testbed_id, id) WHERE status = 'done' AND overhead_ms IS NOT NULL;
CREATE INDEX runs_by_definitions ON runs (definitions);
CREATE INDEX runs_with_series ON runs (finished_at) WHERE status = 'done' AND series_removed_at IS NULL;
CREATE INDEX runs_experiment ON runs (experiment_id, id);
CREATE INDEX runs_without_series ON runs (id) WHERE series_removed_at IS NOT NULL;

-- Role of each device in a run. A late result is attributed by this, even if the device has another role by then.
CREATE TABLE run_devices (
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (run_id, device_id)
) STRICT, WITHOUT ROWID;

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
  -- Facts about the device that comparisons and exports show.
  facts_json TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (run_id, role, device_id)
) STRICT;

CREATE TABLE run_series (
  run_id INTEGER NOT NULL,
  role TEXT NOT NULL,
  device_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  metric TEXT NOT NULL,
  unit TEXT NOT NULL,
  -- Series that were sampled together share the times of the first one.
  times_position INTEGER NOT NULL,
  times_block BLOB,
  values_block BLOB NOT NULL,
  PRIMARY KEY (run_id, role, device_id, position),
  FOREIGN KEY (run_id, role, device_id) REFERENCES run_results (run_id, role, device_id)
) STRICT;
CREATE INDEX run_series_metric ON run_series (run_id, metric, role);

-- Uploaded readings of power meters that are not connected to a testbed. The last file of a device counts.
CREATE TABLE meter_readings (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  role TEXT NOT NULL,
  device_id TEXT NOT NULL,
  name TEXT NOT NULL,
  uploaded_at REAL NOT NULL,
  times_block BLOB NOT NULL,
  power_block BLOB NOT NULL,
  PRIMARY KEY (run_id, role, device_id)
) STRICT;

-- Captures and key logs of devices. The parts of key logs are encrypted.
CREATE TABLE run_files (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  device_id TEXT NOT NULL,
  name TEXT NOT NULL,
  part INTEGER NOT NULL,
  is_last INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (run_id, device_id, name, part)
) STRICT;

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
CREATE INDEX log_lines_experiment ON log_lines (experiment_id, id) WHERE experiment_id IS NOT NULL;
CREATE INDEX log_lines_alone ON log_lines (id) WHERE experiment_id IS NULL AND run_id IS NULL;

-- Devices and testbeds

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  testbed_id TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  capabilities_json TEXT,
  created_at REAL NOT NULL,
  last_seen_at REAL,
  pool TEXT
) STRICT;

-- Energy source, meter, supply and battery of a device, as entered by a user.
CREATE TABLE device_settings (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  settings_json TEXT NOT NULL
) STRICT;

CREATE TABLE ssh_devices (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  user TEXT NOT NULL,
  -- In the encoding of RFC 4253, section 6.6.
  host_key BLOB NOT NULL,
  connection TEXT NOT NULL,
  draining INTEGER NOT NULL DEFAULT 0,
  probe_json TEXT,
  installation_json TEXT
) STRICT;

-- Tokens with which agents enrol in a pool.
CREATE TABLE enrolments (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  pool TEXT NOT NULL,
  uses_left INTEGER NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL NOT NULL
) STRICT;

-- The testbed of the server's own machine is not stored. devices.testbed_id and devices.role name the members.
CREATE TABLE testbeds (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  links_json TEXT NOT NULL,
  created_at REAL NOT NULL,
  pools_json TEXT NOT NULL DEFAULT '[]',
  -- Ports of the brokers of its runs; NULL: any free port.
  broker_ports_json TEXT
) STRICT;

-- A testbed has at most one external broker. Passwords are encrypted.
CREATE TABLE external_brokers (
  testbed_id TEXT PRIMARY KEY,
  broker_json TEXT NOT NULL,
  password TEXT,
  updated_at REAL NOT NULL
) STRICT;

-- A testbed has at most one publisher without an agent. Password and key are encrypted.
CREATE TABLE external_devices (
  testbed_id TEXT PRIMARY KEY,
  device_json TEXT NOT NULL,
  password TEXT NOT NULL,
  updated_at REAL NOT NULL,
  -- The server's half of the key agreement for payload ciphers, made when it is first read.
  payload_key TEXT
) STRICT;

-- Accounts and access

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at REAL NOT NULL,
  last_used_at REAL
) STRICT;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  -- Hash of the secret before the last rotation, valid until a minute after the present one was first used.
  earlier_hash TEXT,
  seen_at REAL,
  token_hash TEXT,
  account_id INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
  created_at REAL NOT NULL,
  rotated_at REAL NOT NULL,
  expires_at REAL NOT NULL
) STRICT;
CREATE INDEX sessions_earlier ON sessions (earlier_hash) WHERE earlier_hash IS NOT NULL;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at REAL NOT NULL,
  last_used_at REAL,
  revoked_at REAL,
  revoked_by TEXT,
  scope TEXT NOT NULL DEFAULT 'everything',
  expires_at REAL
) STRICT;

-- The activity log.
CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at REAL NOT NULL,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  words TEXT NOT NULL,
  subject TEXT NOT NULL,
  before_json TEXT,
  after_json TEXT
) STRICT;
CREATE INDEX changes_subject ON changes (subject, id);

-- Responses to requests that create something, by the key that the caller chose.
CREATE TABLE idempotency_keys (
  key TEXT NOT NULL,
  route TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  answer_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (key, route)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Share links, views, webhooks and settings

CREATE TABLE shares (
  token TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  subject_json TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL,
  revoked_at REAL,
  frozen_at REAL,
  snapshot_packed BLOB,
  -- Whether addresses, processes, paths and full logs are shown.
  details INTEGER NOT NULL DEFAULT 0,
  made_by TEXT,
  password_hash TEXT,
  max_openings INTEGER,
  openings INTEGER NOT NULL DEFAULT 0,
  -- Preview image.
  image BLOB,
  packets TEXT NOT NULL DEFAULT 'none'
) STRICT;

CREATE TABLE views (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  page TEXT NOT NULL,
  -- Query string of the page.
  state TEXT NOT NULL,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL
) STRICT;

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  events_json TEXT NOT NULL,
  -- Encrypted.
  secret TEXT NOT NULL,
  origin TEXT,
  enabled INTEGER NOT NULL,
  created_at REAL NOT NULL,
  removed_at REAL,
  last_delivery_json TEXT
) STRICT;

-- Messages that are not delivered yet.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at REAL NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, due_at);

-- Keys whose bundles are shown with the name of their signer.
CREATE TABLE trusted_signers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  fingerprint TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at REAL NOT NULL
) STRICT;

CREATE TABLE storage_settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  retention_days INTEGER,
  budget_bytes INTEGER
) STRICT;
INSERT INTO storage_settings (id) VALUES (1);

-- Cached answers

-- Answers that took long to compute, compressed. Any change of an experiment deletes the answers about it.
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

CREATE TRIGGER revision_of_experiment AFTER UPDATE ON experiments WHEN new.revision = old.revision BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = new.id;
END;

CREATE TRIGGER revision_of_runs_insert AFTER INSERT ON runs BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = new.experiment_id;
END;
CREATE TRIGGER revision_of_runs_update AFTER UPDATE ON runs BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = new.experiment_id;
END;
CREATE TRIGGER revision_of_runs_delete AFTER DELETE ON runs BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = old.experiment_id;
END;

CREATE TRIGGER revision_of_run_results_insert AFTER INSERT ON run_results BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = new.run_id);
END;
CREATE TRIGGER revision_of_run_results_update AFTER UPDATE ON run_results BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = new.run_id);
END;
CREATE TRIGGER revision_of_run_results_delete AFTER DELETE ON run_results BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = old.run_id);
END;

CREATE TRIGGER revision_of_meter_readings_insert AFTER INSERT ON meter_readings BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = new.run_id);
END;
CREATE TRIGGER revision_of_meter_readings_update AFTER UPDATE ON meter_readings BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = new.run_id);
END;
CREATE TRIGGER revision_of_meter_readings_delete AFTER DELETE ON meter_readings BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = old.run_id);
END;

CREATE TRIGGER revision_of_run_files_insert AFTER INSERT ON run_files BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = new.run_id);
END;
CREATE TRIGGER revision_of_run_files_update AFTER UPDATE ON run_files BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = new.run_id);
END;
CREATE TRIGGER revision_of_run_files_delete AFTER DELETE ON run_files BEGIN
  UPDATE experiments SET revision = revision + 1 WHERE id = (SELECT experiment_id FROM runs WHERE id = old.run_id);
END;

-- Answers name devices. Finding the experiments of a device would need a scan of every result.
CREATE TRIGGER revision_of_device_name AFTER UPDATE OF name ON devices WHEN new.name IS NOT old.name BEGIN
  UPDATE experiments SET revision = revision + 1;
END;
CREATE TRIGGER revision_of_device_delete AFTER DELETE ON devices BEGIN
  UPDATE experiments SET revision = revision + 1;
END;

CREATE TRIGGER outdated_answers AFTER UPDATE OF revision ON experiments BEGIN
  DELETE FROM stored_answers
  WHERE id IN (SELECT answer_id FROM stored_answer_experiments WHERE experiment_id = new.id);
END;
CREATE TRIGGER answers_of_removed AFTER DELETE ON experiments BEGIN
  DELETE FROM stored_answers
  WHERE id IN (SELECT answer_id FROM stored_answer_experiments WHERE experiment_id = old.id);
END;

-- One row: author, licence and funding that exports state.
CREATE TABLE authorship (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  revision INTEGER NOT NULL DEFAULT 0,
  author TEXT NOT NULL DEFAULT '',
  orcid TEXT NOT NULL DEFAULT '',
  affiliation TEXT NOT NULL DEFAULT '',
  licence TEXT NOT NULL DEFAULT '',
  funding TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO authorship (id) VALUES (1);
