/** One broker of somebody else for each testbed; the password is told to the clients of its runs only. */
export const externalBrokers = {
  version: 3,
  sql: `
CREATE TABLE external_brokers (
  testbed_id TEXT PRIMARY KEY,
  broker_json TEXT NOT NULL,
  password TEXT,
  updated_at REAL NOT NULL
) STRICT;
`,
};
