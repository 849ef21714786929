import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const common = {
  testTimeout: 60_000,
  // What is waited for comes late on a busy machine.
  expect: { poll: { timeout: 15_000 } },
};

const devices = {
  ...common,
  globalSetup: 'packages/agent/test-setup.mjs',
  env: {
    // Agents and servers are started a thousand times: what they are made of is compiled once.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)),
    // Whole runs as in use have clients rehearse all the same.
    MQTTLAB_REHEARSAL: 'off',
  },
};
/** Real runs and loads: nothing else lives in their process. */
const inRealTime = [
  'packages/agent/src/*.test.ts',
  'packages/agent/src/{bridge,clients,load-process,mqtt,pacing,runs,workloads}/**/*.test.ts',
  'packages/agent/src/payload/path/*.test.ts',
  'apps/server/src/runs/**/*.test.ts',
];

export default defineConfig({
  test: {
    // Most tests of these wait for brokers, agents and sockets, so more of them fit than there are cores.
    maxWorkers: 3,
    reporters: ['default'],
    projects: [
      { test: { ...devices, name: 'runs', include: inRealTime } },
      {
        test: {
          ...devices,
          name: 'devices',
          include: ['packages/agent/src/**/*.test.ts', 'apps/server/src/**/*.test.ts'],
          exclude: inRealTime,
          // A process for each file would cost 0.6 s of CPU time more: what a test starts it stops.
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'pure',
          include: [
            'packages/shared/src/**/*.test.ts',
            'apps/web/src/**/*.test.{ts,tsx}',
            'e2e/chaos/**/*.test.ts',
          ],
          // Nothing of theirs outlives a test, so that files share a thread.
          pool: 'threads',
          isolate: false,
        },
      },
    ],
  },
});
