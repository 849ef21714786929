import { defineConfig } from 'vitest/config';

const common = {
  root: import.meta.dirname,
  testTimeout: 180_000,
  hookTimeout: 300_000,
  fileParallelism: false,
};
/** These compare what the whole machine looks like before and after: nothing else may boot or shape meanwhile. */
const alone = ['virtual-lab.test.ts', '**/*.alone.test.ts'];

/** Tests that drive virtual Pis: root on Linux. One file at a time, for each starts a lab. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    reporters: ['default'],
    projects: [
      { test: { ...common, name: 'alone', include: alone } },
      { test: { ...common, name: 'beside', include: ['**/*.test.ts'], exclude: alone } },
    ],
  },
});
