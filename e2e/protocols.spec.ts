import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import AxeBuilder from '@axe-core/playwright';
import type { ExperimentDetail } from '@mqttlab/shared/domain/experiment';
import type { Page } from '@playwright/test';
import { waitUntilDone } from './fixtures/experiments.ts';
import { expect, test } from './fixtures/test.ts';

const execute = promisify(execFile);
const cli = join(import.meta.dirname, '..', 'dist', 'cli.mjs');

/** WCAG 2.2 A and AA. */
async function expectAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`),
    what,
  ).toEqual([]);
}

test('a study goes from the gallery through the wizard to its result beside the published values', async ({
  server,
  page,
}) => {
  await page.goto(`${server.address}/protocols`);
  const card = page.getByRole('region', { name: 'The broker on a Raspberry Pi' });
  await expect(card.getByRole('region', { name: /^Part c/ })).toContainText('Gap: cannot be run yet');
  await expect(card.getByRole('region', { name: /^Part c/ })).toContainText('CoAP, confirmable and not');
  await expectAccessible(page, 'gallery');
  await card.getByRole('button', { name: /^Open part b, .* at smoke scale/ }).click();

  await expect(page).toHaveURL(/\/experiments\/\d+\/edit/);
  const id = Number(/\/experiments\/(\d+)/.exec(page.url())?.[1]);
  await page.goto(`${server.address}/experiments/${id}/edit/review`);
  await page.getByRole('button', { name: 'Start', exact: false }).last().click();
  await expect(page).toHaveURL(/\/experiments\/\d+$/);
  const done = await waitUntilDone(server, id);
  expect(done.tags).toEqual(['protocol:rpi-broker', 'part:b', 'scale:smoke']);
  expect(done.progress).toMatchObject({ trials: 9, done: 9, failed: 0 });

  await page.getByRole('link', { name: 'Study' }).first().click();
  await expect(page).toHaveURL(`${server.address}/protocols/rpi-broker/results/${id}`);
  if (done.progress.flagged > 0) await page.goto(`${page.url()}?flagged=1`);
  const table = page.getByRole('table', { name: /Where the bytes go/ });
  const connect = table.getByRole('row').filter({ hasText: /^CON\s*Plain/ });
  await expect(connect).toContainText('194');
  // What the page says is what the runs measured.
  const plain = done.runs.find(({ treatmentKey }) => treatmentKey.includes('security=plain'));
  const bytes = plain?.metrics['state.CON.frameBytes'] ?? 0;
  expect(bytes).toBeGreaterThan(194);
  await expect(connect).toContainText(String(bytes));
  const article = page.getByRole('article');
  await expect(article).toContainText('PUB: 22 B at QoS 0 (1.0 records)');
  await expect(article).toContainText('Gap: Loss of 0 to 10 % on the link');
  expect(await article.innerText()).not.toMatch(/NaN|undefined|Infinity/);
  await expectAccessible(page, 'result');
});

test('the command line lists the studies, and says what cannot be run', async ({ server }) => {
  const call = (...args: string[]) =>
    execute(process.execPath, [cli, ...args, '--server', server.address]).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  const { code, stdout } = await call('protocol', 'list');
  expect(code).toBe(0);
  for (const id of ['rpi-broker', 'cipher-suites', 'v2x-tls', 'stability-aware', 'hecs4mqtt']) {
    expect(stdout).toContain(id);
  }
  expect(stdout).toMatch(/rpi-broker\s+c\s+gap\s+gap\s+gap/);
  const refused = await call('protocol', 'run', 'rpi-broker', '--part', 'c');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('links cannot be shaped');
  const { items } = await server.api<{ items: ExperimentDetail[] }>('GET', '/experiments');
  expect(items).toEqual([]);
});
