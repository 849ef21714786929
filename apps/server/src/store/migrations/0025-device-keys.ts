/** Half of a key agreement for the payload ciphers of a device without an agent; made for it when it is first read. */
export const deviceKeys = {
  version: 25,
  sql: `
ALTER TABLE external_devices ADD COLUMN payload_key TEXT;
`,
};
