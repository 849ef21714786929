import { waitUntilDone } from '../fixtures/experiments.ts';
import { expect, test } from '../fixtures/test.ts';

test('a part of a study runs from the gallery through the wizard to its result next to the published values', async ({
  server,
  page,
}) => {
  await page.goto(`${server.address}/studies`);
  const card = page.getByRole('region', { name: 'The broker on a Raspberry Pi' });
  await card.getByRole('button', { name: /^Open part b, / }).click();
  await page.getByRole('menuitem', { name: /^smoke/ }).click();

  await expect(page).toHaveURL(/\/experiments\/\d+\/edit/);
  const id = Number(/\/experiments\/(\d+)/.exec(page.url())?.[1]);
  await page.goto(`${server.address}/experiments/${id}/edit/review`);
  await page.getByRole('button', { name: 'Start', exact: false }).last().click();
  await expect(page).toHaveURL(/\/experiments\/\d+$/);
  const done = await waitUntilDone(server, id);
  expect(done.tags).toEqual(['study:rpi-broker', 'part:b', 'scale:smoke']);
  expect(done.progress).toMatchObject({ done: done.progress.trials, failed: 0 });

  await page.getByRole('link', { name: 'Study' }).first().click();
  await expect(page).toHaveURL(`${server.address}/studies/rpi-broker/results/${id}`);
  if (done.progress.flagged > 0) await page.goto(`${page.url()}?flagged=1`);
  const figure = page.getByRole('figure', { name: /Bytes to reach a state/ });
  await figure.getByRole('button', { name: 'Show as a table' }).click();
  const connect = figure.getByRole('row').filter({ hasText: /^CON\s*Plain/ });
  await expect(connect).toContainText('194');
  // The page shows the measured value.
  const plain = done.runs.find(
    ({ status, treatmentKey }) => status === 'done' && treatmentKey.includes('security=plain'),
  );
  const bytes = plain?.metrics['state.CON.frameBytes'] ?? 0;
  expect(bytes).toBeGreaterThan(194);
  await expect(connect).toContainText(String(bytes));
  const article = page.getByRole('article');
  await expect(article).toContainText('Connecting over TLS needs 17.43 times as many bytes as over TCP');
  // A claim links to its table.
  await article.getByRole('link', { name: 'Frames, headers and what TLS adds' }).click();
  await expect(page.getByRole('region', { name: /Frames, headers and what TLS adds/ })).toBeInViewport();
  expect(await article.innerText()).not.toMatch(/NaN|undefined|Infinity/);
});
