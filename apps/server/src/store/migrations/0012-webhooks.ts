/** Addresses that are told what happens, and what is still to be told: a restart of the server loses none of it. */
export const webhooks = {
  version: 12,
  sql: `
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  events_json TEXT NOT NULL,
  secret TEXT NOT NULL,
  origin TEXT,
  enabled INTEGER NOT NULL,
  created_at REAL NOT NULL,
  removed_at REAL,
  last_delivery_json TEXT
) STRICT;

CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at REAL NOT NULL
) STRICT;

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, due_at);
`,
};
