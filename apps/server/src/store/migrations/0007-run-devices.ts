/** Which device plays which role in a Run, so that a result is known as its own after the device changed its role. */
export const runDevices = {
  version: 7,
  sql: `
CREATE TABLE run_devices (
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (run_id, device_id)
) STRICT, WITHOUT ROWID;
`,
};
