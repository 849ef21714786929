/** Notes and exclusions of runs, where an experiment was imported from, and saved views of the compare page. */
export const notesAndViews = {
  version: 2,
  sql: `
ALTER TABLE runs ADD COLUMN notes TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN exclusion_json TEXT;

ALTER TABLE experiments ADD COLUMN imported_json TEXT;

CREATE TABLE views (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  page TEXT NOT NULL,
  -- The query string of the page, as it stands in its address.
  state TEXT NOT NULL,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL
) STRICT;
`,
};
