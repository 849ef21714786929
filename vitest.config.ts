import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const common = {
  testTimeout: 60_000,
  // What is waited for comes late on a busy machine.
  expect: { poll: { timeout: 15_000 } },
};

export default defineConfig({
  test: {
    // Most tests of these wait for brokers, agents and sockets, so more of them fit than there are cores.
    maxWorkers: 3,
    reporters: ['default'],
    projects: [
      {
        test: {
          ...common,
          name: 'devices',
          // They measure in real time, and a busy machine may miss a moment: what is broken fails each time.
          retry: 2,
          include: ['packages/agent/src/**/*.test.ts', 'apps/server/src/**/*.test.ts'],
          // Agents and servers are started from their sources a thousand times: those are compiled once.
          env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)) },
        },
      },
      {
        test: {
          ...common,
          name: 'pure',
          include: ['packages/shared/src/**/*.test.ts', 'apps/web/src/**/*.test.{ts,tsx}'],
          // Nothing of theirs outlives a test, so that files share a thread.
          pool: 'threads',
          isolate: false,
        },
      },
    ],
  },
});
