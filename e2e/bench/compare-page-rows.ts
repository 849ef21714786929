import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atMost, type BenchRow, figure, median } from '@mqttlab/shared/testing/bench';
import { type Browser, chromium, type Page } from '@playwright/test';
import { TestServer } from '../fixtures/server.ts';
import config from '../playwright.config.ts';

const moves = 60;
const opened = 3;

/** The compare page in a real browser: 200 runs x 3 devices x 600 samples, opened and brushed. */
export async function measureComparePage(root: string): Promise<BenchRow[]> {
  const server = new TestServer();
  const fill = join(root, 'apps/server/bench/fill.ts');
  const args = ['--disable-warning=ExperimentalWarning', fill, server.dataFolder];
  const { id, runs } = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
  const [many] = JSON.parse((await promisify(execFile)(process.execPath, [...args, '60'])).stdout);
  await server.start();
  const browser = await chromium.launch(config.use?.launchOptions);
  try {
    const address = `${server.address}/compare?experiments=${id}&flagged=1&role=broker&series=cpu.process`;
    const interactive: number[] = [];
    for (let i = 0; i < opened; i += 1) interactive.push(await measureInteractive(browser, address));
    const page = await browser.newPage({ viewport: { width: 1440, height: 2400 } });
    await page.goto(address);
    const values = await brush(page, page.getByRole('img', { name: /of every run/ }).first());
    const times = await brush(page, page.getByRole('img', { name: /^CPU of/ }).first());
    const interaction = await measureInteraction(
      await browser.newPage({ viewport: { width: 1440, height: 900 } }),
      `${server.address}/compare?experiments=${many.id}`,
    );
    const what = `compare page, ${runs} runs x 3 devices x 600 samples`;
    const limit = { limit: 100, unit: 'ms' };
    return [
      atMost(`${what}: interactive after`, median(interactive), { limit: 1000, unit: 'ms' }),
      atMost(`interaction to next paint, 60 treatments, CPU slowed ${slowedBy}x`, interaction, {
        limit: 200,
        unit: 'ms',
      }),
      atMost('longest frame while brushing runs by value', Math.max(...values), limit),
      figure('median frame while brushing runs by value', median(values), 'ms'),
      atMost('longest frame while brushing a stretch of time', Math.max(...times), limit),
      figure('median frame while brushing a stretch of time', median(times), 'ms'),
    ];
  } finally {
    await browser.close();
    await server.remove();
  }
}

const slowedBy = 4;

/** Longest time from a click or key press to the next frame on the compare page, with a throttled CPU. */
async function measureInteraction(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page
    .getByRole('img', { name: /of every run/ })
    .first()
    .waitFor();
  await page.waitForLoadState('networkidle');
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowedBy });
  await page.evaluate(() => {
    const durations: number[] = [];
    const note = (list: PerformanceObserverEntryList) => {
      for (const entry of list.getEntries()) {
        if ((entry as PerformanceEventTiming & { interactionId: number }).interactionId > 0)
          durations.push(entry.duration);
      }
    };
    new PerformanceObserver(note).observe({
      type: 'event',
      durationThreshold: 16,
    } as PerformanceObserverInit);
    Object.assign(window, { durations });
  });
  const settle = () => page.waitForTimeout(1500);
  await page.getByRole('button', { name: /^Axes\s/ }).click();
  await settle();
  await page.getByRole('menuitemradio', { name: 'Logarithmic axes' }).click();
  await settle();
  await page.keyboard.press('Escape');
  await settle();
  await page.getByRole('button', { name: /^Follow$/ }).click();
  await settle();
  await page.getByRole('menuitemcheckbox').nth(1).click();
  await settle();
  await page.keyboard.press('Escape');
  await settle();
  await page.getByRole('button', { name: /^Compare\s/ }).click();
  await settle();
  await page.getByRole('menuitemcheckbox').nth(1).click();
  await settle();
  const durations = await page.evaluate(() => (window as unknown as { durations: number[] }).durations);
  if (durations.length === 0) throw new Error('no interaction was recorded');
  return Math.max(...durations);
}

/** Time from the start of navigation until all charts are drawn and interactive, with an empty cache. */
async function measureInteractive(browser: Browser, address: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'commit' });
  const ms = await page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        setTimeout(() => reject(new Error('the compare page never became interactive')), 60_000);
        const look = () => {
          const brushed = [...document.querySelectorAll('canvas[data-brush]')];
          const labels = brushed.map((canvas) => canvas.getAttribute('aria-label') ?? '');
          const hasAll =
            labels.some((label) => / of every run\b/.test(label)) &&
            labels.some((label) => !/ of every run\b/.test(label));
          if (hasAll) requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  await context.close();
  return ms;
}

/** Drags across a chart. Returns the times between frames until all charts are updated. */
async function brush(page: Page, chart: ReturnType<Page['getByRole']>): Promise<number[]> {
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  if (!box) throw new Error('there is no chart to brush');
  await page.evaluate(() => {
    const frames: number[] = [];
    let last = performance.now();
    const look = (now: number) => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    Object.assign(window, { frames });
  });
  const y = box.y + Math.min(60, box.height / 2);
  await page.mouse.move(box.x + box.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, y, { steps: moves });
  await page.mouse.up();
  await page.waitForTimeout(500);
  return page.evaluate(() => (window as unknown as { frames: number[] }).frames.slice(1));
}
