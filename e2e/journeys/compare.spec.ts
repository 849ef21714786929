import type { Page } from '@playwright/test';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import { expect, test } from '../fixtures/test.ts';

/** Drags across the middle of a chart. */
async function brush(page: Page, name: RegExp): Promise<void> {
  const chart = page.getByRole('img', { name }).first();
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  if (!box) throw new Error(`there is no chart ${name}`);
  const y = box.y + Math.min(40, box.height / 2);
  // From the labels on the left to the right end: includes every run.
  await page.mouse.move(box.x + 8, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, y, { steps: 6 });
  await page.mouse.up();
}

test('repetitions until a target precision; tag and exclude runs, brush charts, save the view', async ({
  server,
  page,
}) => {
  const quick = makeQuickDraft({ name: 'As often as needed' });
  const id = await startExperiment(server, {
    ...quick,
    factors: { security: ['plain'], rate: [200] },
    sampleHz: 10,
    workload: { ...quick.workload, warmUpMs: 100, measureMs: 500 },
    repetitions: 6,
    stopping: { metric: 'rate.messages', targetPercent: 25, atLeast: 5 },
    response: 'rate.messages',
  });
  await page.goto(`${server.address}/experiments/${id}`);
  await expect(
    page.getByText(/^5 to 6 repetitions, until|^After \d of at most 6 repetitions/).first(),
  ).toBeVisible();
  const done = await waitUntilDone(server, id);
  // Flagged runs are excluded, and a busy machine flags runs. Both outcomes are valid if the page reports them.
  const isEnough = done.progress.trials < 6;
  const why = isEnough
    ? /narrow enough, so the experiment stops/
    : /not reached, but the maximum number of repetitions has been reached/;
  await expect(page.getByText(why).first()).toBeVisible();
  // A trial that failed on a busy machine has two attempts.
  const trials = new Set(done.runs.map(({ trialNumber }) => trialNumber));
  expect(trials.size).toBe(isEnough ? 5 : 6);

  const [first] = done.runs;
  await page.goto(`${server.address}/experiments/${id}/runs/${first?.id}`);
  await page.getByRole('button', { name: 'Add a tag' }).click();
  await page.getByRole('combobox', { name: 'Tags' }).fill('odd');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Leave out of analysis' }).click();
  await page.getByRole('textbox', { name: /^Reason/ }).fill('the door slammed');
  await page.getByRole('button', { name: 'Leave out', exact: true }).click();
  await expect(page.getByText(/Excluded from the analysis since .*the door slammed/)).toBeVisible();
  await page.goto(`${server.address}/experiments/${id}`);
  await expect(
    page.getByRole('button', { name: /left out manually.*the door slammed.*tags: odd/ }),
  ).toBeVisible();

  // The page shows the experiment's response, and the excluded run with its reason.
  await page.goto(`${server.address}/compare?experiments=${id}&flagged=1&role=broker&series=cpu.process`);
  await expect(page.getByRole('button', { name: /^Response\s*Message rate/ })).toBeVisible();
  await expect(
    page.getByText(`1 excluded manually (run ${first?.trialNumber}: the door slammed)`),
  ).toBeVisible();

  const left = trials.size - 1;
  await brush(page, /of every run/);
  await expect(page.getByText(new RegExp(`^${left} of ${left} runs are between`))).toBeVisible();
  await expect(page).toHaveURL(/brush=rate\.messages/);
  await brush(page, /^CPU of the broker process/);
  await expect(page.getByText(/^Mean from .* to .* s$/)).toBeVisible();

  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('What we look at');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'What we look at' })).toBeVisible();
  const kept = new URL(page.url()).search;
  await page.goto(`${server.address}/v/1`);
  await expect(page).toHaveURL((url) => url.pathname === '/compare' && url.search === kept);
  await page.reload();
  await expect(page.getByText(new RegExp(`^${left} of ${left} runs are between`))).toBeVisible();
  await expect(page.getByText(/^Mean from .* to .* s$/)).toBeVisible();
});

test('an address without a target shows a "not found" message', async ({ server, page }) => {
  for (const [address, words] of [
    ['/v/99', 'There is no view “99”.'],
    ['/experiments/99', 'There is no experiment 99.'],
    ['/experiments/none', 'There is no experiment “none”: an experiment has a number.'],
    ['/compare?experiments=99', 'There is no experiment 99.'],
  ] as const) {
    await page.goto(`${server.address}${address}`);
    await expect(page.getByRole('alert')).toContainText(words);
    await expect(page.getByText(/Reload the page/)).toHaveCount(0);
  }
});
