import { fileURLToPath } from 'node:url';

/** The agent as built by the test runner; otherwise its sources. */
export const testEntry = {
  execPath: process.execPath,
  args: [process.env.MQTTLAB_TEST_AGENT ?? fileURLToPath(new URL('../main.ts', import.meta.url))],
};
