/** Whether a link shows addresses, processes, paths and full logs too. From this version on secrets are encrypted at rest. */
export const shareDetails = {
  version: 15,
  sql: `
ALTER TABLE shares ADD COLUMN details INTEGER NOT NULL DEFAULT 0;
`,
};
