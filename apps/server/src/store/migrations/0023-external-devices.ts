/** A publisher without an agent for each testbed; its password is told to whoever programs it. */
export const externalDevices = {
  version: 23,
  sql: `
CREATE TABLE external_devices (
  testbed_id TEXT PRIMARY KEY,
  device_json TEXT NOT NULL,
  password TEXT NOT NULL,
  updated_at REAL NOT NULL
) STRICT;
`,
};
