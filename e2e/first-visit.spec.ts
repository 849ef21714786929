import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { expectAccessible } from './fixtures/accessible.ts';
import { waitUntil, waitUntilDone } from './fixtures/experiments.ts';
import { expectNothingJumped, watchShifts } from './fixtures/layout-shift.ts';
import { takePicture } from './fixtures/pictures.ts';
import { expect, test } from './fixtures/test.ts';

test.use({ rehearsal: 'on' });

test('first visit, tour, live, finished, compare, shared link in a fresh browser', async ({
  server,
  page,
  browser,
}) => {
  test.setTimeout(360_000);
  await watchShifts(page);
  await page.goto(server.address);
  await expect(page.getByText(/Run the tour/).first()).toBeVisible();
  await expectAccessible(page, 'experiments, first visit');
  await takePicture(page, 'front');

  const startedAt = Date.now();
  await page
    .getByRole('button', { name: /Run the tour/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/experiments\/\d+$/);
  const id = Number(/\d+$/.exec(page.url())?.[0]);
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect(page.getByRole('region', { name: /Treatments/ })).toBeVisible();
  await expectAccessible(page, 'live');

  await waitUntil(server, id, ({ progress }) => progress.done > 3);
  await takePicture(page, 'live');

  const done = await waitUntilDone(server, id);
  const tookMs = Date.now() - startedAt;
  console.log(`tour: ${(tookMs / 1000).toFixed(1)} s, ${done.progress.flagged} of 18 runs flagged`);
  expect(done.progress).toMatchObject({ trials: 18, done: 18, failed: 0 });
  await expectNegotiatedAsAsked(server.api.bind(server), done);

  await expect(page.getByRole('link', { name: 'Compare' }).last()).toBeVisible();
  await expectNothingJumped(page);
  await expectAccessible(page, 'finished experiment');
  await page.goto(`${server.address}/compare?experiments=${id}&flagged=1`);
  await expect(page.getByText(/18 of 18 runs used/)).toBeVisible();
  await expectAccessible(page, 'compare');
  await takePicture(page, 'compare');

  await page.getByRole('button', { name: /^Response/ }).click();
  await page.getByRole('textbox', { name: 'Search metrics' }).fill('set-up');
  await page.getByRole('option', { name: /^Connection set-up/ }).click();
  await expect(page).toHaveURL(/metric=setUp\.total/);
  await expect(
    page.getByText(/(has|against|No clear difference in) .*connection set-up/).first(),
  ).toBeVisible();
  await page.reload();
  await expect(page).toHaveURL(/metric=setUp\.total/);
  await page.getByRole('button', { name: 'Show as a table' }).first().click();
  await expect(page.getByRole('table').first()).toContainText('Plain');
  for (const [name, ending] of [['Save as CSV', /\.csv$/]] as const) {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name }).first().click();
    expect((await download).suggestedFilename()).toMatch(ending);
  }

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
  await expectAccessible(shared, 'shared comparison');

  const token = address.split('/').at(-1);
  await server.api('DELETE', `/shares/${token}`);
  await shared.reload();
  await expect(shared.getByRole('alert')).toBeVisible();
  await stranger.close();
});

test('the tour beside programs that use the CPU ends with a sentence, a picture and a next step @alone', async ({
  server,
  page,
}) => {
  test.setTimeout(300_000);
  await page.goto(server.address);
  const banner = page.getByRole('heading', { name: /Run the tour experiment/ });
  await expect(banner).toBeVisible();
  const hogs = cpus().map(() => spawn(process.execPath, ['-e', busyLoop], { stdio: 'ignore' }));
  try {
    await page.getByRole('button', { name: 'Run the tour' }).first().click();
    await expect(page).toHaveURL(/\/experiments\/\d+$/);
    await waitUntilDone(server, Number(/\d+$/.exec(page.url())?.[0]));
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
  }
  const id = Number(/\d+$/.exec(page.url())?.[0]);
  const { progress } = await server.api<ExperimentDetail>('GET', `/experiments/${id}`);
  expect(progress).toMatchObject({ trials: 18, done: 18, failed: 0 });
  expect(progress.flagged).toBeGreaterThan(6);

  // A busy CPU changes no byte: what the tour asks about is answered.
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await expect(outcome.getByText(/more wire bytes per message/)).toBeVisible();
  await expect(outcome.getByRole('img').first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Compare' }).last()).toBeVisible();
  const again = page.getByRole('button', { name: `Run these ${progress.flagged} again` });
  await expect(again).toBeVisible();

  await page.goto(`${server.address}/compare?experiments=${id}&metric=latency.p50`);
  const notice = page.getByRole('region', { name: 'Flagged runs' });
  await expect(notice).toContainText(`in ${progress.flagged} of 18 runs`);
  await expect(notice).toContainText(/Not affected, for example: .*bytes/);
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

/** Ends by itself, should nobody end it. */
const busyLoop = 'const end = Date.now() + 240_000; while (Date.now() < end);';

type Api = <T>(method: string, path: string) => Promise<T>;

async function expectNegotiatedAsAsked(api: Api, experiment: ExperimentDetail): Promise<void> {
  for (const { id } of experiment.runs.filter(({ status }) => status === 'done')) {
    const run = await api<RunDetail>('GET', `/runs/${id}`);
    const { cipherSuite, group, qos } = run.treatment.spec;
    const clients = run.results.flatMap(({ negotiated }) => negotiated ?? []);
    expect(clients).toHaveLength(2);
    for (const got of clients) expect(got).toMatchObject({ cipherSuite, group });
    if (qos > 0) expect(run.metrics['count.lost'], `run ${id} at QoS ${qos}`).toBe(0);
    expect(run.metrics['count.received']).toBeGreaterThan(1000);
  }
}
