/** Devices that were added over SSH: how they are reached, and what was done on them last. */
export const sshDevices = {
  version: 4,
  sql: `
CREATE TABLE ssh_devices (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  user TEXT NOT NULL,
  -- As SSH sends it (RFC 4253 section 6.6).
  host_key BLOB NOT NULL,
  connection TEXT NOT NULL,
  draining INTEGER NOT NULL DEFAULT 0,
  probe_json TEXT,
  installation_json TEXT
) STRICT;
`,
};
