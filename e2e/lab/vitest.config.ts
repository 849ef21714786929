import { defineConfig } from 'vitest/config';

/**
 * Tests on virtual Pis: root on Linux. One file at a time, because each starts a lab, and some compare what the whole
 * machine looks like before and after. `vitest run --config e2e/lab/vitest.config.ts faults` runs one of them.
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
