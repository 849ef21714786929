/** What a link asks for, how often it opens, and the picture that is shown beside its address. */
export const shareLimits = {
  version: 19,
  sql: `
ALTER TABLE shares ADD COLUMN password_hash TEXT;
ALTER TABLE shares ADD COLUMN max_openings INTEGER;
ALTER TABLE shares ADD COLUMN openings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE shares ADD COLUMN image BLOB;
`,
};
