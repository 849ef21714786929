/** How long series and logs are kept, which experiments keep everything, and a budget of the disk. */
export const retention = {
  version: 22,
  sql: `
ALTER TABLE experiments ADD COLUMN keep_everything INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN series_removed_at REAL;
CREATE INDEX runs_with_series ON runs (finished_at) WHERE status = 'done' AND series_removed_at IS NULL;
CREATE TABLE storage_settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  retention_days INTEGER,
  budget_bytes INTEGER
) STRICT;
INSERT INTO storage_settings (id) VALUES (1);
`,
};
