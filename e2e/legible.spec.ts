import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expectAccessible } from './fixtures/accessible.ts';
import { makeQuickDraft, sixteenTreatments, startExperiment, waitUntil } from './fixtures/experiments.ts';
import { expectNothingJumped, watchShifts } from './fixtures/layout-shift.ts';
import { findIllegible, hearCanvases, untilDrawn, untilShown } from './fixtures/legible.ts';
import { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

const fill = join(dirname(dirname(fileURLToPath(import.meta.url))), 'apps/server/bench/fill.ts');
const counts = [2, 6, 16, 60];
const shares = ['some', 'none', 'all'];
const windows = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Most lines of the headline of Compare, by width of the window. */
const headlineLines = new Map([
  [1440, 2],
  [390, 4],
]);

/** What is wrong with the headline of Compare and its counts of runs. */
async function findMisleading(page: Page, width: number): Promise<string[]> {
  const main = page.getByRole('main');
  const lines = await main
    .locator('p[class*="lead"]')
    .first()
    .evaluate((element) =>
      Math.round(element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight)),
    );
  const most = headlineLines.get(width) ?? 0;
  const counts = [
    ...(await main.innerText()).matchAll(/(\d+) of (\d+) runs (?:used|counts?|is|are) (?!flagged)/g),
  ];
  return [
    ...(lines > most ? [`the headline has ${lines} lines, not ${most}`] : []),
    ...(new Set(counts.map(([, used, of]) => `${used} of ${of}`)).size > 1
      ? [`the counts disagree: ${counts.map(([words]) => words).join(', ')}`]
      : []),
  ];
}

/** Colours move no text, but charts are drawn again: one number of treatments is enough for the dark scheme. */
function schemesOf(treatments: number): ('light' | 'dark')[] {
  return treatments === 6 ? ['light', 'dark'] : ['light'];
}

test('pages of results with 2 to 60 treatments can be read in every window and both colour schemes', async ({
  page,
}) => {
  test.setTimeout(1_800_000);
  const server = new TestServer();
  const wanted = shares.flatMap((share) => counts.map((count) => `${count}:${share}`));
  const args = ['--disable-warning=ExperimentalWarning', fill, server.dataFolder, ...wanted];
  const played: { id: number; treatments: number; flagged: string }[] = JSON.parse(
    (await promisify(execFile)(process.execPath, args)).stdout,
  );
  expect(played.map(({ treatments, flagged }) => `${treatments}:${flagged}`)).toEqual(wanted);
  await server.start();
  await hearCanvases(page);
  const problems: string[] = [];
  try {
    for (const { id, treatments, flagged } of played) {
      const study = await server.api<{ id: string; parts: { id: string }[] }>('POST', '/studies', {
        experimentIds: [id],
        title: `Of ${treatments}`,
      });
      const tags = [`study:${study.id}`, `part:${study.parts[0]?.id}`, 'scale:full'];
      await server.api('PATCH', `/experiments/${id}`, { tags });
      const { token } = await server.api<{ token: string }>('POST', '/shares', {
        kind: 'view',
        view: `experiments=${id}`,
      });
      const paths = [
        `/experiments/${id}`,
        `/compare?experiments=${id}`,
        `/experiments/${id}/report`,
        `/s/${token}`,
        `/studies/${study.id}/results/${id}`,
      ];
      // Flags change the words of these two pages most.
      const visited = flagged === 'some' || treatments === 6 ? paths : paths.slice(0, 2);
      for (const path of visited) {
        await page.goto(server.address + path);
        // Offscreen panels of Compare have placeholder heights, but their texts have real positions.
        await page.addStyleTag({ content: '* { content-visibility: visible !important; }' });
        for (const size of windows) {
          for (const colorScheme of schemesOf(treatments)) {
            await page.setViewportSize(size);
            await page.emulateMedia({ colorScheme });
            await untilShown(page);
            await expect(page.getByText('being worked out')).toHaveCount(0);
            await expect(page.locator('[aria-label^="Loading"]')).toHaveCount(0);
            await page.waitForLoadState('networkidle');
            await untilDrawn(page);
            const found = await findIllegible(page);
            if (path.startsWith('/compare')) found.push(...(await findMisleading(page, size.width)));
            const where = `${treatments}, ${flagged} flagged, at ${size.width}, ${colorScheme}, ${path}`;
            problems.push(...found.map((one) => `${where}: ${one}`));
            if (treatments === 6) await expectAccessible(page, `${path} at ${size.width}, ${colorScheme}`);
            if (process.env.MQTTLAB_SCREENSHOTS) {
              const name = `${treatments}-${flagged}-${path.replaceAll(/\W+/g, '-')}-${size.width}-${colorScheme}.png`;
              await page.screenshot({ path: join(process.env.MQTTLAB_SCREENSHOTS, name), fullPage: true });
            }
          }
        }
      }
    }
  } finally {
    await server.remove();
  }
  expect(problems).toEqual([]);
});

/** Rows of the grid of trials that cannot be seen without scrolling. */
function hiddenRows(page: Page): Promise<string[]> {
  return page.getByRole('table', { name: /^Treatments by repetitions/ }).evaluate((table) => {
    const frames: DOMRect[] = [];
    for (let at: Element | null = table; at; at = at.parentElement) {
      if (getComputedStyle(at).overflowY !== 'visible') frames.push(at.getBoundingClientRect());
    }
    const end = Math.min(innerHeight, ...frames.map(({ bottom }) => bottom));
    return [...table.querySelectorAll('tr')]
      .filter((row) => row.getBoundingClientRect().bottom > end + 0.5)
      .map((row) => row.innerText);
  });
}

test('a running experiment of 16 treatments shows its grid without scrolling, and can be read in every window and both colour schemes', async ({
  freshServer: server,
  page,
}) => {
  test.setTimeout(600_000);
  const quick = makeQuickDraft();
  const id = await startExperiment(server, {
    ...quick,
    factors: sixteenTreatments,
    repetitions: 3,
    workload: { ...quick.workload, measureMs: 3000 },
  });
  await hearCanvases(page);
  await watchShifts(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await waitUntil(server, id, ({ progress }) => progress.done > 0);
  await page.goto(`${server.address}/experiments/${id}`);
  const { progress } = await waitUntil(server, id, ({ progress: { done } }) => done > 4);
  expect(progress.trials).toBe(48);
  await expectNothingJumped(page);
  expect(await hiddenRows(page)).toEqual([]);
  const problems: string[] = [];
  for (const size of windows) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await expect(page.locator('main canvas').first()).toBeVisible();
      await untilDrawn(page);
      const where = `live at ${size.width}, ${colorScheme}`;
      problems.push(...(await findIllegible(page)).map((one) => `${where}: ${one}`));
      await expectAccessible(page, where);
    }
  }
  await server.api('POST', `/experiments/${id}/actions/cancel`);
  expect(problems).toEqual([]);
});
