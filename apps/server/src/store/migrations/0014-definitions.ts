/** By which definitions metrics and verdicts of a run were computed, and what computing them anew changed. */
export const definitions = {
  version: 14,
  sql: `
ALTER TABLE runs ADD COLUMN definitions INTEGER NOT NULL DEFAULT 1;
ALTER TABLE runs ADD COLUMN redefined_json TEXT;
CREATE INDEX runs_by_definitions ON runs (definitions);
`,
};
