/** Testbeds of devices that were added; which device plays which role in one is in the table of devices. */
export const testbeds = {
  version: 6,
  sql: `
CREATE TABLE testbeds (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  links_json TEXT NOT NULL,
  created_at REAL NOT NULL
) STRICT;
`,
};
