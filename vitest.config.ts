import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Tier one is everything whose result does not depend on the speed of the machine: `pure` and `devices`. Tests
 * of latency, pacing, verdicts and the like are `*.realtime.test.ts` in the project `realtime`, which runs only when it
 * is named (`npm run test:full`).
 */
const realtime = '**/*.realtime.test.ts';

/** The only tests of shared that start processes. */
const childProcesses = 'packages/shared/src/kit/managed-child.test.ts';

/** Files that take longest. One that began last would run alone at the end. */
const longest = [
  'run/matrix.test.ts',
  'agent-endings.test.ts',
  'real-agents.test.ts',
  'process-driver.test.ts',
  'agent-runs.test.ts',
  'every-command.test.ts',
  'process-failures.test.ts',
  'agent-sensors.test.ts',
  'tampering.test.ts',
  'payload-encryption.test.ts',
  'workload-kinds.test.ts',
  'agent-availability.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.endsWith(`/${name}`));
    return (await super.sort(files)).sort((a, b) => Number(isLong(b)) - Number(isLong(a)));
  }
}

const common = {
  // Kill timers: no test says how long it should take.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 240_000 } },
};

const devices = {
  ...common,
  globalSetup: 'packages/agent/test-setup.mjs',
  env: {
    // Tests start hundreds of agents and servers: Node stores their compiled code.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)),
    // Saves CPU time; tests of runs as in use turn it on again.
    MQTTLAB_REHEARSAL: 'off',
  },
};

export default defineConfig({
  test: {
    // Most tests wait for brokers, agents and sockets, so more of them fit than there are cores.
    maxWorkers: 6,
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'pure',
          include: [
            'packages/shared/src/**/*.test.ts',
            'packages/charts/src/**/*.test.ts',
            'packages/studies/src/**/*.test.ts',
            'apps/web/src/**/*.test.{ts,tsx}',
            'e2e/chaos/**/*.test.ts',
          ],
          exclude: [realtime, childProcesses],
          // Nothing outlives a test here, so that files share a thread.
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...devices,
          name: 'devices',
          include: ['packages/agent/src/**/*.test.ts', 'apps/{server,cli}/src/**/*.test.ts', childProcesses],
          exclude: [realtime],
          // Files share a process, which saves 0.6 s of CPU time for each: a test stops what it starts.
          isolate: false,
        },
      },
      {
        test: {
          ...devices,
          name: 'realtime',
          include: [realtime],
          exclude: ['**/node_modules/**'],
          // Each file has a process and the machine to itself.
          fileParallelism: false,
        },
      },
    ],
  },
});
