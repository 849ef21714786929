import { fileURLToPath } from 'node:url';

/** The agent as the test runner built it; its sources where it did not. */
export const testEntry = {
  execPath: process.execPath,
  args: [process.env.MQTTLAB_TEST_AGENT ?? fileURLToPath(new URL('../main.ts', import.meta.url))],
};
