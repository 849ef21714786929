/** What a person says about a device: energy source, meter, supply, battery. */
export const deviceSettings = {
  version: 9,
  sql: `
CREATE TABLE device_settings (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  settings_json TEXT NOT NULL
) STRICT;
`,
};
