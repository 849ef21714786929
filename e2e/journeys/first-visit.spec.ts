import { makeTourDraft } from '@mqttlab/shared/catalogue/tour';
import type { Page } from '@playwright/test';
import { startExperiment, waitUntil, waitUntilDone } from '../fixtures/experiments.ts';
import { expectNegotiatedAsAsked } from '../fixtures/negotiated.ts';
import { expect, test } from '../fixtures/test.ts';

test('a first visit offers the tour, which starts with one click and can be cancelled', async ({
  freshServer: server,
  page,
}) => {
  await page.goto(server.address);
  const banner = page.getByRole('heading', { name: /Run the tour experiment/ });
  await expect(banner).toBeVisible();

  await page.getByRole('button', { name: 'Run the tour' }).first().click();
  await expect(page).toHaveURL(/\/experiments\/\d+$/);
  const id = Number(/\d+$/.exec(page.url())?.[0]);
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect(page.getByRole('region', { name: /Treatments/ })).toBeVisible();
  const started = await waitUntil(server, id, ({ runs }) => runs.some(({ status }) => status === 'running'));
  expect(started.progress.trials).toBe(18);

  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await waitUntil(server, id, ({ status }) => status === 'cancelled');
  await expect(page.getByText('Cancelled').first()).toBeVisible();
  await page.goto(server.address);
  await expect(page.getByRole('link', { name: /Tour: what does TLS cost/ }).first()).toBeVisible();
  await expect(banner).toHaveCount(0);
});

test('a tour with short phases is followed live, compared, and shared with a fresh browser', async ({
  server,
  page,
  browser,
}) => {
  const tour = makeTourDraft('local');
  const workload = { ...tour.workload, warmUpMs: 100, measureMs: 300 };
  // Three repetitions are the minimum for a finding with an interval.
  const factors = { ...tour.factors, qos: [1] };
  const id = await startExperiment(server, { ...tour, factors, workload });
  await page.goto(`${server.address}/experiments/${id}`);
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
  const done = await waitUntilDone(server, id);
  expect(done.progress).toMatchObject({ trials: 9, done: 9, failed: 0 });
  await expectNegotiatedAsAsked(server, done);

  // The open page shows the end without a reload.
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await expect(outcome.getByRole('img').first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Compare' }).last()).toBeVisible();

  await page.goto(`${server.address}/compare?experiments=${id}&flagged=1`);
  await expect(page.getByText(/9 of 9 runs used/)).toBeVisible();
  await expect(page.getByText(finding(/more wire bytes per message/)).first()).toBeVisible();
  await chooseSetUpTime(page);
  await page.reload();
  await expect(page).toHaveURL(/metric=setUp\.total/);
  await page.getByRole('button', { name: 'Show as a table' }).first().click();
  await expect(page.getByRole('table').first()).toContainText('Plain');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).first().click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);

  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = page.getByRole('textbox', { name: 'Address of the link' });
  await expect(link).toHaveValue(/\/s\/[\w-]{22}$/);
  const address = await link.inputValue();

  const stranger = await browser.newContext();
  const shared = await stranger.newPage();
  await shared.goto(address);
  await expect(shared.getByText(/runs used/)).toBeVisible();
  await expect(shared.getByText(/read only/)).toBeVisible();
  await expect(shared.getByRole('link', { name: 'Devices' })).toHaveCount(0);

  await server.api('DELETE', `/shares/${address.split('/').at(-1)}`);
  await shared.reload();
  await expect(shared.getByRole('alert')).toBeVisible();
  await stranger.close();
});

async function chooseSetUpTime(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Response/ }).click();
  await page.getByRole('textbox', { name: 'Search metrics' }).fill('set-up');
  await page.getByRole('option', { name: /^Connection set-up/ }).click();
  await expect(page).toHaveURL(/metric=setUp\.total/);
  const sentence = /(has|against|No clear difference in) .*connection set-up/;
  await expect(page.getByText(finding(sentence)).first()).toBeVisible();
}

/** On a busy machine too few runs may be valid; the page then reports that instead of a finding. */
function finding({ source }: RegExp): RegExp {
  return new RegExp(`${source}|^Too few valid runs for a comparison: \\d of 9`);
}
