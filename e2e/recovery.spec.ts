import { makeQuickDraft, startExperiment, waitUntil, waitUntilDone } from './fixtures/experiments.ts';
import { findLostOrDoubled } from './fixtures/once-each.ts';
import { expect, test } from './fixtures/test.ts';

const draft = makeQuickDraft({
  name: 'Survivor',
  factors: { security: ['plain', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'], qos: [1], rate: [100] },
  repetitions: 3,
});

test('a server killed during a run and restarted loses and duplicates nothing; the page recovers', async ({
  freshServer: server,
  page,
}) => {
  const id = await startExperiment(server, draft);
  await page.goto(`${server.address}/experiments/${id}`);
  await expect(page.getByText('Connected').first()).toBeVisible();
  await waitUntil(
    server,
    id,
    ({ progress, runs }) => progress.done >= 2 && runs.some((r) => r.status === 'running'),
  );

  await server.kill();
  await expect(page.getByText(/since \d{1,2}:\d{2}/).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Survivor' })).toBeVisible();

  await server.start();
  await expect(page.getByText('Connected').first()).toBeVisible();
  const done = await waitUntilDone(server, id);
  expect(findLostOrDoubled(done)).toEqual([]);
  await expect(page.getByRole('definition').filter({ hasText: /^6\s*of 6/ })).toBeVisible();
});

test('cancel stops the run immediately, and retry runs the missing trials', async ({ server, page }) => {
  const long = { ...draft, workload: { ...draft.workload, measureMs: 20_000 }, repetitions: 1 };
  const id = await startExperiment(server, long);
  await page.goto(`${server.address}/experiments/${id}`);
  await waitUntil(server, id, ({ runs }) => runs.some((run) => run.status === 'running'));
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const cancelled = await waitUntil(
    server,
    id,
    ({ status, runs }) => status === 'cancelled' && runs[0]?.status !== 'running',
  );
  expect(cancelled.runs.map((run) => run.status)).toEqual(['cancelled']);
  await expect(page.getByText('Cancelled').first()).toBeVisible();

  await page
    .getByRole('button', { name: /Retry|Run remaining trials/ })
    .first()
    .click();
  const again = await waitUntil(server, id, ({ runs }) => runs.some((run) => run.status === 'running'));
  expect(again.runs.find((run) => run.status === 'running')).toBeDefined();
  await server.api('POST', `/experiments/${id}/actions/cancel`);
});

test('two viewers see the same', async ({ server, browser }) => {
  const id = await startExperiment(server, { ...draft, repetitions: 1 });
  const viewers = await Promise.all([browser.newPage(), browser.newPage()]);
  await Promise.all(viewers.map((viewer) => viewer.goto(`${server.address}/experiments/${id}`)));
  await waitUntilDone(server, id);
  const grids = viewers.map((viewer) => viewer.getByRole('table', { name: /^Treatments by/ }));
  await Promise.all(grids.map((grid) => expect(grid).toBeVisible()));
  await Promise.all(
    viewers.map((viewer) =>
      expect(viewer.getByRole('definition').filter({ hasText: /^2\s*of 2/ })).toBeVisible(),
    ),
  );
  await Promise.all(
    grids.map((grid) => expect(grid.getByRole('button', { name: /running/ })).toHaveCount(0)),
  );
  const texts = await Promise.all(grids.map((grid) => grid.innerText()));
  expect(texts[1]).toBe(texts[0]);
  expect(texts[0]).toMatch(/\d/);
  await Promise.all(viewers.map((viewer) => viewer.close()));
});
