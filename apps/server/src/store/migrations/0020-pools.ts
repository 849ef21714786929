/** Agents that enrol themselves in a pool, with a token that was made for it, and testbeds that take whole pools. */
export const pools = {
  version: 20,
  sql: `
CREATE TABLE enrolments (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  pool TEXT NOT NULL,
  uses_left INTEGER NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL NOT NULL
) STRICT;
ALTER TABLE devices ADD COLUMN pool TEXT;
ALTER TABLE testbeds ADD COLUMN pools_json TEXT NOT NULL DEFAULT '[]';
`,
};
