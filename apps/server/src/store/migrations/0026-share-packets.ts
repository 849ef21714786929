/** Links show no packets and keys of a run unless it was chosen. */
export const sharePackets = {
  version: 26,
  sql: `
ALTER TABLE shares ADD COLUMN packets TEXT NOT NULL DEFAULT 'none';
`,
};
