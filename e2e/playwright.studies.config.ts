import { defineConfig } from '@playwright/test';
import usual from './playwright.config.ts';

const { projects: _ofOthers, ...common } = usual;

/** Every study at smoke scale, which takes minutes: a command of its own, one after the other. */
export default defineConfig<{ rehearsal: 'on' | 'off' }>({
  ...common,
  // Their figures are looked at.
  use: { ...common.use, rehearsal: 'on' },
  testDir: './studies',
  testMatch: '**/*.study.ts',
  testIgnore: [],
  outputDir: '../test-results/studies',
  timeout: 900_000,
  workers: 1,
  reporter: [['list']],
});
