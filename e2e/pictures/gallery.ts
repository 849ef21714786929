import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { makeQuickDraft, sixteenTreatments, startExperiment, waitUntil } from '../fixtures/experiments.ts';
import { untilDrawn, untilShown } from '../fixtures/legible.ts';
import { TestServer } from '../fixtures/server.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = resolve(process.argv[2] ?? join(root, 'docs', 'pictures', 'gallery'));
const fill = join(root, 'apps', 'server', 'bench', 'fill.ts');

const windows = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

type Shot = {
  page: 'experiment' | 'compare' | 'report' | 'share' | 'study' | 'live';
  /** Treatments and flagged runs, such as "16:some". */
  of: string;
  window: keyof typeof windows;
  scheme: 'light' | 'dark';
};

const shot = (page: Shot['page'], of: string, where: `${keyof typeof windows} ${Shot['scheme']}`): Shot => {
  const [window, scheme] = where.split(' ') as [keyof typeof windows, Shot['scheme']];
  return { page, of, window, scheme };
};

const liveOf = '16:live';

/** Every page in every window and scheme, small and large results, with none, some and all runs flagged. */
const shots: readonly Shot[] = [
  shot('live', liveOf, 'wide light'),
  shot('live', liveOf, 'wide dark'),
  shot('live', liveOf, 'phone light'),
  shot('experiment', '6:none', 'wide light'),
  shot('experiment', '16:some', 'wide light'),
  shot('experiment', '16:all', 'wide dark'),
  shot('experiment', '6:some', 'phone light'),
  shot('compare', '2:none', 'wide light'),
  shot('compare', '6:none', 'wide light'),
  shot('compare', '6:some', 'wide dark'),
  shot('compare', '6:all', 'wide light'),
  shot('compare', '16:some', 'wide light'),
  shot('compare', '16:all', 'wide dark'),
  shot('compare', '60:some', 'wide light'),
  shot('compare', '16:some', 'phone light'),
  shot('compare', '6:all', 'phone dark'),
  shot('report', '6:some', 'wide light'),
  shot('report', '16:some', 'wide dark'),
  shot('report', '16:some', 'phone light'),
  shot('share', '6:some', 'wide light'),
  shot('share', '16:some', 'phone dark'),
  shot('study', '6:some', 'wide light'),
  shot('study', '16:all', 'wide dark'),
  shot('study', '6:some', 'phone light'),
];

/** Quality of the WebP files, 0 to 100. */
const quality = 72;

async function save(page: Page, { page: what, of, window, scheme }: Shot): Promise<void> {
  await page.setViewportSize(windows[window]);
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.evaluate(() => document.fonts.ready.then(() => null));
  await untilDrawn(page);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  await session.detach();
  const name = `${what}-${of.replace(':', '-')}-${window}-${scheme}.webp`;
  writeFileSync(join(folder, name), Buffer.from(data, 'base64'));
}

async function addressesOf(server: TestServer, id: number, of: string): Promise<Record<string, string>> {
  const study = await server.api<{ id: string; parts: { id: string }[] }>('POST', '/studies', {
    experimentIds: [id],
    title: `Of ${of}`,
  });
  const tags = [`study:${study.id}`, `part:${study.parts[0]?.id}`, 'scale:full'];
  await server.api('PATCH', `/experiments/${id}`, { tags });
  const view = `experiments=${id}`;
  const { token } = await server.api<{ token: string }>('POST', '/shares', { kind: 'view', view });
  return {
    experiment: `/experiments/${id}`,
    compare: `/compare?${view}`,
    report: `/experiments/${id}/report`,
    share: `/s/${token}`,
    study: `/studies/${study.id}/results/${id}`,
  };
}

async function takeResults(browser: Browser, server: TestServer, ids: ReadonlyMap<string, number>) {
  const page = await browser.newPage();
  for (const [of, id] of ids) {
    const addresses = await addressesOf(server, id, of);
    for (const one of shots.filter((candidate) => candidate.of === of)) {
      await page.setViewportSize(windows[one.window]);
      await page.goto(`${server.address}${addresses[one.page]}`);
      await untilShown(page);
      await page.waitForLoadState('networkidle');
      await save(page, one);
    }
  }
  await page.close();
}

const runsBefore = 20;

/** A running experiment of 16 treatments, after some of its runs. */
async function takeLive(browser: Browser, server: TestServer): Promise<void> {
  const quick = makeQuickDraft({ name: 'Suites and payload ciphers' });
  const id = await startExperiment(server, {
    ...quick,
    factors: sixteenTreatments,
    repetitions: 3,
    workload: { ...quick.workload, warmUpMs: 1000, measureMs: 3000 },
  });
  const page = await browser.newPage();
  await page.setViewportSize(windows.wide);
  await waitUntil(server, id, ({ progress }) => progress.done >= runsBefore);
  await page.goto(`${server.address}/experiments/${id}`);
  for (const one of shots.filter(({ page: what }) => what === 'live')) {
    await page.waitForFunction(isMeasuring, undefined, { polling: 50 });
    await save(page, one);
    await page.waitForFunction(() => !document.querySelector('[data-phase="measure"][data-state="running"]'));
  }
  await server.api('POST', `/experiments/${id}/actions/cancel`);
  await page.close();
}

/** True if the current run has measured most of its time. Executed in the page. */
function isMeasuring(): boolean {
  const step = document.querySelector('[data-phase="measure"][data-state="running"]');
  const bar = step?.querySelector<HTMLElement>('span > span');
  return Number.parseFloat(bar?.style.width ?? '0') >= 60;
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const server = new TestServer();
let browser: Browser | null = null;
try {
  const wanted = [...new Set(shots.map(({ of }) => of))].filter((of) => of !== liveOf);
  const args = ['--disable-warning=ExperimentalWarning', fill, server.dataFolder, ...wanted];
  const played: { id: number }[] = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
  await server.start();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  await takeResults(browser, server, new Map(wanted.map((of, i) => [of, played[i]?.id ?? 0])));
  await takeLive(browser, server);
} finally {
  await browser?.close();
  await server.remove();
}
