/** Protocols of people's own, and what belongs together because it was started as one protocol. */
export const studies = {
  version: 8,
  sql: `
CREATE TABLE own_protocols (
  id TEXT PRIMARY KEY,
  file_json TEXT NOT NULL,
  created_at REAL NOT NULL
) STRICT;
CREATE TABLE protocol_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  protocol_id TEXT NOT NULL,
  title TEXT NOT NULL,
  testbed_id TEXT NOT NULL,
  scale TEXT NOT NULL,
  parts_json TEXT NOT NULL,
  file_json TEXT,
  created_at REAL NOT NULL
) STRICT;
`,
};
