/** Files that devices kept beside their results: captures, and key logs, whose parts are sealed. */
export const runFiles = {
  version: 24,
  sql: `
CREATE TABLE run_files (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  device_id TEXT NOT NULL,
  name TEXT NOT NULL,
  part INTEGER NOT NULL,
  is_last INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (run_id, device_id, name, part)
) STRICT;
`,
};
