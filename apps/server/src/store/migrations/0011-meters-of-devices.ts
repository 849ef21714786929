/** Several devices may play one role, each with a meter of its own; so far there was one device where there was a meter. */
export const metersOfDevices = {
  version: 11,
  sql: `
CREATE TABLE meter_readings_of_devices (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  role TEXT NOT NULL,
  device_id TEXT NOT NULL,
  name TEXT NOT NULL,
  uploaded_at REAL NOT NULL,
  times_block BLOB NOT NULL,
  power_block BLOB NOT NULL,
  PRIMARY KEY (run_id, role, device_id)
) STRICT;

INSERT INTO meter_readings_of_devices
  SELECT meter.run_id, meter.role, min(result.device_id), name, uploaded_at, times_block, power_block
  FROM meter_readings AS meter
    JOIN run_results AS result ON result.run_id = meter.run_id AND result.role = meter.role
  GROUP BY meter.run_id, meter.role;

DROP TABLE meter_readings;
ALTER TABLE meter_readings_of_devices RENAME TO meter_readings;
`,
};
