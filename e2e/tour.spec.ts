import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { Page } from '@playwright/test';
import { expectAccessible } from './fixtures/accessible.ts';
import { waitUntil, waitUntilDone } from './fixtures/experiments.ts';
import { expectNothingJumped, watchShifts } from './fixtures/layout-shift.ts';
import { expectNegotiatedAsAsked } from './fixtures/negotiated.ts';
import { expect, test } from './fixtures/test.ts';

test.use({ rehearsal: 'on' });

async function startTour(page: Page): Promise<number> {
  await page.getByRole('button', { name: 'Run the tour' }).first().click();
  await expect(page).toHaveURL(/\/experiments\/\d+$/);
  return Number(/\d+$/.exec(page.url())?.[0]);
}

test('the tour completes on the open page without layout shifts', async ({ freshServer: server, page }) => {
  await watchShifts(page);
  await page.goto(server.address);
  await expect(page.getByText(/Run the tour/).first()).toBeVisible();

  const startedAt = Date.now();
  const id = await startTour(page);
  await waitUntil(server, id, ({ progress }) => progress.done > 3);
  const done = await waitUntilDone(server, id);
  const tookMs = Date.now() - startedAt;
  console.log(`tour: ${(tookMs / 1000).toFixed(1)} s, ${done.progress.flagged} of 18 runs flagged`);
  expect(done.progress).toMatchObject({ trials: 18, done: 18, failed: 0 });
  for (const { id: runId } of done.runs) {
    const { metrics } = await server.api<RunDetail>('GET', `/runs/${runId}`);
    expect(metrics['count.received']).toBeGreaterThan(1000);
  }
  await expectNegotiatedAsAsked(server, done);

  await expect(page.getByRole('link', { name: 'Compare' }).last()).toBeVisible();
  await expectNothingJumped(page);
  await page.goto(`${server.address}/compare?experiments=${id}&flagged=1`);
  await expect(page.getByText(/18 of 18 runs used/)).toBeVisible();
});

test('the tour on a busy CPU ends with a sentence, a chart and a next step', async ({
  freshServer: server,
  page,
}) => {
  await page.goto(server.address);
  const banner = page.getByRole('heading', { name: /Run the tour experiment/ });
  await expect(banner).toBeVisible();
  let id = 0;
  const hogs = cpus().map(() => spawn(process.execPath, ['-e', busyLoop], { stdio: 'ignore' }));
  try {
    id = await startTour(page);
    await waitUntilDone(server, id);
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
  }
  const { progress } = await server.api<ExperimentDetail>('GET', `/experiments/${id}`);
  expect(progress).toMatchObject({ trials: 18, done: 18, failed: 0 });
  expect(progress.flagged).toBeGreaterThan(6);

  // A busy CPU changes no bytes, but messages of a late generator share TLS records, so those runs are excluded.
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await expect(outcome.getByText(/wire bytes per message/).first()).toBeVisible();
  await expect(outcome.getByRole('img').first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Compare' }).last()).toBeVisible();
  const again = page.getByRole('button', { name: `Run these ${progress.flagged} again` });
  await expect(again).toBeVisible();

  await page.goto(`${server.address}/compare?experiments=${id}&metric=latency.p50`);
  const notice = page.getByRole('region', { name: 'Flagged runs' });
  await expect(notice).toContainText(`in ${progress.flagged} of 18 runs`);
  await expect(notice).toContainText(/Not affected, for example: .*(bytes|messages)/);
  await expect(page.getByText('Preview').first()).toBeVisible();
  await expectAccessible(page, 'compare, most runs flagged');

  await notice.getByRole('button', { name: `Run these ${progress.flagged} again` }).click();
  await expect(page).toHaveURL(/\/experiments\/\d+$/);
  const later = await waitUntil(server, id, ({ runs }) =>
    runs.some(({ attempt, status }) => attempt === 2 && status === 'done'),
  );
  expect(later.runs.filter(({ attempt, status }) => attempt === 1 && status === 'done')).toHaveLength(18);
  await server.api('POST', `/experiments/${id}/actions/cancel`);

  await page.goto(server.address);
  await expect(page.getByRole('link', { name: /Tour: what does TLS cost/ }).first()).toBeVisible();
  await expect(banner).toHaveCount(0);
});

/** Exits automatically if the test is killed before it stops the process. */
const busyLoop = 'const end = Date.now() + 240_000; while (Date.now() < end);';
