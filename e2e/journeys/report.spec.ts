import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';
import { expect, test } from '../fixtures/test.ts';

/** Returns every sentence and table of the report except the header, which names the installation. */
async function reportText(page: Page): Promise<string[]> {
  const article = page.locator('article');
  await expect(article.getByRole('heading', { name: 'Methods' })).toBeVisible();
  const lines = await article.locator('table:visible, p, li, figcaption').allInnerTexts();
  return lines.filter((line) => !/^E-\d|Imported from/.test(line));
}

/** Checks that captions fit a narrow window, and that print shows black on white without controls, in dark mode too. */
async function readsOnPhoneAndPaper(page: Page): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const captions = page.locator('article section > p, article figcaption');
  const ends = await captions.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
  expect(ends.length).toBeGreaterThan(10);
  expect(Math.max(...ends)).toBeLessThanOrEqual(390);
  if (size) await page.setViewportSize(size);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('[data-mantine-color-scheme="dark"]')).toHaveCount(1);
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toBeHidden();
  const paper = page.locator('article');
  await expect(paper).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(paper).toHaveCSS('color', 'rgb(20, 24, 29)');
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
}

test('a report is read, saved, exported and shows the same figures in a new installation', async ({
  server,
  page,
}) => {
  const quick = makeQuickDraft();
  const id = await startExperiment(server, {
    ...quick,
    name: 'Cost of TLS',
    repetitions: 3,
    factors: { security: ['plain', 'TLS 1.3'], rate: [200] },
    sampleHz: 10,
    workload: { ...quick.workload, warmUpMs: 100, measureMs: 600 },
  });
  await waitUntilDone(server, id);

  await page.goto(`${server.address}/experiments/${id}`);
  await page.getByRole('link', { name: 'Report' }).first().click();
  await page.goto(`${server.address}/experiments/${id}/report?flagged=1`);
  const here = await reportText(page);
  expect(here.length).toBeGreaterThan(20);
  expect(here.join('\n')).not.toMatch(/NaN|undefined|Infinity/);
  expect(await page.locator('figure svg').count()).toBeGreaterThan(8);

  await readsOnPhoneAndPaper(page);

  const figure = page.locator('figure').first();
  for (const [name, start] of [
    ['Save as SVG', '<svg'],
    ['Save as PNG', '\x89PNG'],
    ['Save as CSV', 'Treatment'],
  ] as const) {
    const download = page.waitForEvent('download');
    await figure.getByRole('button', { name }).click();
    const file = await (await download).path();
    expect(readFileSync(file, 'latin1').startsWith(start), name).toBe(true);
  }

  const bundle = Buffer.from(
    await (await fetch(`${server.address}/api/v1/experiments/${id}/bundle.zip`)).arrayBuffer(),
  );

  const elsewhere = new TestServer();
  await elsewhere.start();
  try {
    await page.goto(elsewhere.address);
    await page.getByRole('button', { name: 'Import plan' }).first().click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).click();
    await (await chooser).setFiles({ name: 'cost.zip', mimeType: 'application/zip', buffer: bundle });
    await expect(page).toHaveURL(/\/experiments\/1$/);
    await expect(page.getByText(/imported from experiment/).first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Run this on my testbed' }).first()).toBeVisible();
    await page.goto(`${elsewhere.address}/experiments/1/report?flagged=1`);
    expect(await reportText(page)).toEqual(here);

    const altered = Buffer.from(bundle);
    const middle = Math.floor(bundle.length / 2);
    altered.writeUInt8(altered.readUInt8(middle) ^ 0xff, middle);
    const answer = await fetch(`${elsewhere.address}/api/v1/experiments/import-bundle`, {
      method: 'POST',
      headers: { 'content-type': 'application/zip' },
      body: new Uint8Array(altered),
    });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('cannot be imported');
  } finally {
    await elsewhere.remove();
  }
});
