import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { countingAttempts, type RunDetail } from '@mqttlab/shared/domain/runs/run';
import { type Browser, chromium, type Page } from '@playwright/test';
import { waitUntil, waitUntilDone } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';
import { stopOnSignal } from '../fixtures/stop-on-signal.ts';

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..', 'docs', 'pictures'));
const schemes = ['light', 'dark'] as const;
/** Number of runs after which the screenshot of the tour is taken. */
const runsBefore = 4;
/** Percent of a run's measure time after which its charts are filled. */
const measuredShare = 60;

/** True if the current run on the page has measured at least `percent` of its time. Executed in the page. */
function isMeasuring(percent: number): boolean {
  const step = document.querySelector('[data-phase="measure"][data-state="running"]');
  const bar = step?.querySelector<HTMLElement>('span > span');
  return Number.parseFloat(bar?.style.width ?? '0') >= percent;
}

/** Saves three screenshots per colour scheme; resolves with the flags of the tour's runs, one per line. */
async function takePictures(browser: Browser, server: TestServer): Promise<string[]> {
  const viewport = { width: 1440, height: 900 };
  const pages = new Map<string, Page>();
  for (const colorScheme of schemes) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
    pages.set(colorScheme, await context.newPage());
  }
  const onPages = (work: (page: Page, scheme: string) => Promise<unknown>) =>
    Promise.all([...pages].map(([scheme, page]) => work(page, scheme)));
  const save = (name: string) => (page: Page, scheme: string) =>
    page.screenshot({ path: join(folder, `${name}-${scheme}.png`), animations: 'disabled' });
  const open = (path: string, shown: string | RegExp) =>
    onPages(async (page) => {
      await page.goto(server.address + path);
      await page.getByText(shown).first().waitFor();
      await page.evaluate(() => document.fonts.ready.then(() => null));
    });

  await open('/', 'Nothing running');
  await onPages(save('front'));
  const { id } = await server.api<{ id: number }>('POST', '/tour');
  await open(`/experiments/${id}`, 'Treatments');
  await waitUntil(server, id, ({ progress }) => progress.done >= runsBefore);
  await onPages(async (page, scheme) => {
    await page.waitForFunction(isMeasuring, measuredShare, { polling: 50 });
    await save('live')(page, scheme);
  });
  // Screenshots cost CPU time, and disturbed runs are flagged.
  await onPages((page) => page.goto('about:blank'));
  const photographed = await waitUntilDone(server, id);
  if (photographed.progress.flagged > 0) await server.api('POST', `/experiments/${id}/actions/rerun-flagged`);
  const { runs } = await waitUntilDone(server, id);
  await open(`/compare?experiments=${id}`, /runs used/);
  await onPages(save('compare'));
  return whyFlagged(
    server,
    countingAttempts(runs).filter(({ flagged }) => flagged),
  );
}

async function whyFlagged(server: TestServer, runs: readonly { id: number }[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { id } of runs) {
    const { verdicts } = await server.api<RunDetail>('GET', `/runs/${id}`);
    const failed = verdicts.filter(({ status }) => status === 'failed');
    lines.push(`run ${id}: ${failed.map(({ label, evidence }) => `${label}: ${evidence}`).join('; ')}`);
  }
  return lines;
}

mkdirSync(folder, { recursive: true });
const server = new TestServer();
stopOnSignal(() => server.remove());
let browser: Browser | null = null;
try {
  await server.start();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const flagged = await takePictures(browser, server);
  if (flagged.length > 0) {
    console.error(['Runs are flagged; retake the pictures on an idle machine.', ...flagged].join('\n'));
    process.exitCode = 1;
  }
} finally {
  await browser?.close();
  await server.remove();
}
