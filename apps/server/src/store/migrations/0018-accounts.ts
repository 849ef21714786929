/**
 * Accounts with passwords, sessions of accounts that rotate, scope and end of tokens, and the log of changes. Whoever
 * was logged in logs in again.
 */
export const accounts = {
  version: 18,
  sql: `
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at REAL NOT NULL,
  last_used_at REAL
) STRICT;

ALTER TABLE tokens ADD COLUMN scope TEXT NOT NULL DEFAULT 'everything';
ALTER TABLE tokens ADD COLUMN expires_at REAL;

DROP TABLE sessions;
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  -- The secret of before the last rotation, good until a minute after the present one was used.
  earlier_hash TEXT,
  seen_at REAL,
  token_hash TEXT,
  account_id INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
  created_at REAL NOT NULL,
  rotated_at REAL NOT NULL,
  expires_at REAL NOT NULL
) STRICT;
CREATE INDEX sessions_earlier ON sessions (earlier_hash) WHERE earlier_hash IS NOT NULL;

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

ALTER TABLE experiments ADD COLUMN started_by TEXT;
ALTER TABLE shares ADD COLUMN made_by TEXT;
`,
};
