import { defineConfig } from 'vitest/config';

/** Tests that drive virtual Pis: root on Linux. One file at a time, for each starts a lab. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    reporters: ['default'],
  },
});
