import { defineConfig } from '@playwright/test';

// A test belongs to a tier by the folder of its file:
//
//   journeys/*.spec.ts  Tier one, part of `npm test`. Asserts page content at any machine speed: no
//                       durations, no flags (a busy machine flags runs), no layout shifts, no processes to count.
//   everything else     Part of `npm run test:full`, one worker for each suite. Those in `realTime` that measure time
//                       run alone on the machine.
//
// A suite is a Playwright project. A new *.spec.ts next to this file belongs to `browser` unless `realTime` lists it.
// There are no retries. Timeouts are kill timers for a machine five times slower than a laptop, not assertions.
const realTime = {
  tour: ['tour.spec.ts'],
  capture: ['all-suites', 'capture', 'every-client', 'independent-client', 'states', 'throughput'].map(
    (name) => `${name}.spec.ts`,
  ),
  docs: ['documentation.spec.ts', 'pipelines.spec.ts'],
  layout: ['legible.spec.ts', 'documentation-pages.spec.ts'],
};
const onItsOwn = { default: false, workers: 1, timeout: 900_000 };
const folders = ['**/journeys/**', '**/lab/**', '**/studies/**'];

/** Headless Chromium shell; browser windows use a seventh of the CPU time. */
const chromium = '/usr/bin/chromium-headless-shell';

/** Real server, real agents, real broker, real Chromium. */
export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'journeys', testMatch: '**/journeys/*.spec.ts' },
    ...Object.entries(realTime).map(([name, files]) => ({
      ...onItsOwn,
      name,
      testMatch: files.map((file) => `**/${file}`),
      testIgnore: folders,
    })),
    {
      ...onItsOwn,
      name: 'browser',
      testMatch: '**/*.spec.ts',
      testIgnore: [
        ...folders,
        ...Object.values(realTime)
          .flat()
          .map((file) => `**/${file}`),
      ],
    },
    // Every study at smoke scale takes minutes.
    { ...onItsOwn, name: 'studies', testMatch: '**/studies/*.spec.ts' },
    // The virtual lab uses namespaces and mounts, which require root.
    ...(process.getuid?.() === 0 ? [{ ...onItsOwn, name: 'lab', testMatch: '**/lab/*.spec.ts' }] : []),
  ],
  outputDir: '../test-results/e2e',
  timeout: 900_000,
  expect: { timeout: 180_000 },
  workers: 2,
  retries: 0,
  forbidOnly: true,
  reporter: [['list'], ['json']],
  use: {
    actionTimeout: 180_000,
    // Recording a trace takes a quarter of the browser's CPU time.
    trace: 'off',
    screenshot: 'only-on-failure',
    contextOptions: { reducedMotion: 'reduce' },
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? chromium,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-software-rasterizer',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
