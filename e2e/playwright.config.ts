import { defineConfig } from '@playwright/test';

/** Real server, real agents, real broker, real Chromium; two workers, for most of a test is waiting. */
export default defineConfig({
  testDir: '.',
  projects: [
    // In the order of their names; the longest have early ones, so that nothing waits for them at the end.
    { name: 'pages', testMatch: '**/*.spec.ts', testIgnore: 'lab/**', grepInvert: /@alone|@layout/ },
    // At full speed a reader that is kept from the processor has much unread: nothing else may run beside it.
    { name: 'alone', testMatch: '**/*.spec.ts', testIgnore: 'lab/**', grep: /@alone/ },
    // Eighty pages, for minutes: "npm run test:layout".
    { name: 'layout', testMatch: '**/*.spec.ts', testIgnore: 'lab/**', grep: /@layout/ },
    // The virtual lab is made of namespaces and mounts, which only root may make.
    ...(process.getuid?.() === 0 ? [{ name: 'lab', testMatch: 'lab/**/*.spec.ts' }] : []),
  ],
  outputDir: '../test-results/e2e',
  timeout: 180_000,
  expect: { timeout: 15_000 },
  workers: 2,
  fullyParallel: false,
  // Real time on a busy machine: what is broken fails each time. A second try is named in the report.
  retries: 1,
  forbidOnly: true,
  reporter: [['list'], ['json']],
  use: {
    // Of a second try alone: to record one takes a quarter of the browser's CPU time.
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
