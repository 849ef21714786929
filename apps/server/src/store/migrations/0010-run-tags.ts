/** Words that people put on runs, to find them again. */
export const runTags = {
  version: 10,
  sql: `
ALTER TABLE runs ADD COLUMN tags_json TEXT NOT NULL DEFAULT '[]';
`,
};
