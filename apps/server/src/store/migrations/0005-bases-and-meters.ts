/** What figures rest on, and what meters measured that were not connected to the testbed: the last file counts. */
export const basesAndMeters = {
  version: 5,
  sql: `
ALTER TABLE runs ADD COLUMN bases_json TEXT;

CREATE TABLE meter_readings (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  uploaded_at REAL NOT NULL,
  times_block BLOB NOT NULL,
  power_block BLOB NOT NULL,
  PRIMARY KEY (run_id, role)
) STRICT;
`,
};
