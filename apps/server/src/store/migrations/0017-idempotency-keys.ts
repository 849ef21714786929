/** What was answered to a request that makes something, by the key that its caller chose for it. */
export const idempotencyKeys = {
  version: 17,
  sql: `
CREATE TABLE idempotency_keys (
  key TEXT NOT NULL,
  route TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  answer_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (key, route)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
`,
};
