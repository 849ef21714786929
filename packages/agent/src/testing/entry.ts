import { fileURLToPath } from 'node:url';

/** The agent as it is run from its sources. */
export const testEntry = {
  execPath: process.execPath,
  args: [fileURLToPath(new URL('../main.ts', import.meta.url))],
};
