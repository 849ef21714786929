import { defineConfig } from 'vitest/config';

/**
 * Tests on virtual Pis; requires root on Linux. One file at a time, because each starts a lab, and some compare the
 * state of the whole machine. `vitest run --config e2e/lab/vitest.config.ts faults` runs a single file.
 */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
