/** Keys whose bundles are shown with the name of their signer. */
export const trustedSigners = {
  version: 28,
  sql: `
CREATE TABLE trusted_signers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  fingerprint TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at REAL NOT NULL
) STRICT;
`,
};
