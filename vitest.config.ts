import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'apps/server/src/**/*.test.ts',
      'apps/web/src/**/*.test.{ts,tsx}',
    ],
    testTimeout: 60_000,
    // What is waited for comes late on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // Most tests wait for brokers, agents and sockets, so more of them fit than there are cores.
    maxWorkers: 4,
    reporters: ['default'],
  },
});
