import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { Page } from '@playwright/test';
import { waitUntilDone } from '../fixtures/experiments.ts';
import { expect, test } from '../fixtures/test.ts';

async function next(page: Page, step: string): Promise<void> {
  await page
    .getByRole('link', { name: /^Next/ })
    .or(page.getByRole('button', { name: /^Next/ }))
    .click();
  await expect(page).toHaveURL(new RegExp(`/edit/${step}$`));
}

test('from a question through an impossible combination to a running experiment', async ({
  server,
  page,
}) => {
  await page.goto(server.address);
  await page.getByRole('button', { name: 'New experiment' }).first().click();
  await expect(page).toHaveURL(/\/experiments\/\d+\/edit\/question$/);
  const id = Number(/experiments\/(\d+)/.exec(page.url())?.[1]);
  await page.getByLabel(/^Name/).fill('Suites under both versions');
  await next(page, 'testbed');
  await expect(page.getByText('local-broker')).toBeVisible();
  await next(page, 'factors');

  await page
    .getByRole('checkbox', { name: /TLS 1\.2/ })
    .or(page.getByRole('button', { name: 'TLS 1.2' }))
    .first()
    .click();
  await expect(page.getByText('TLS 1.2 cannot negotiate it').first()).toBeVisible();
  await expect(page.getByText(/struck out/).first()).toBeVisible();

  // Edits survive a reload.
  await expect(page.getByText(/^Saved/).first()).toBeVisible();
  await page.reload();
  await expect(page.getByText('TLS 1.2 cannot negotiate it').first()).toBeVisible();
  await expect(page.getByText('Suites under both versions').first()).toBeVisible();

  await next(page, 'workload');
  await page.getByRole('textbox', { name: /^Warm-up/ }).fill('0.2');
  await page.getByRole('textbox', { name: /^Measure/ }).fill('1');
  await next(page, 'repetitions');
  await page.getByRole('textbox', { name: 'Repetitions' }).fill('0');
  await expect(page.getByText(/Choose 1 to 1000 repetitions/).first()).toBeVisible();
  await page.getByRole('textbox', { name: 'Repetitions' }).fill('1');
  await expect(page.getByText(/Choose 1 to 1000 repetitions/)).toHaveCount(0);
  await next(page, 'preflight');
  await page
    .getByRole('button', { name: /pre-flight|Check|Run/i })
    .first()
    .click();
  await expect(page.getByText(/negotiable|suite/i).first()).toBeVisible();
  await next(page, 'review');
  await expect(page.getByText('TLS 1.2 cannot negotiate it').first()).toBeVisible();

  await page.getByRole('button', { name: /^Start/ }).click();
  await expect(page).toHaveURL(new RegExp(`/experiments/${id}$`));
  const done: ExperimentDetail = await waitUntilDone(server, id);
  expect(done.progress).toMatchObject({ trials: 2, done: 2, failed: 0 });
  expect(done.plan?.excluded).toHaveLength(1);

  await page.goto(`${server.address}/experiments/${id}/runs/${done.runs[0]?.id}`);
  for (const name of [
    'Requested and negotiated',
    'Phases',
    'Verdicts',
    'Message latency',
    'Cores',
    'Clocks',
  ]) {
    await expect(page.getByRole('region', { name, exact: true })).toBeVisible();
  }
});

test('an exported plan is imported as the same draft; invalid input is rejected by field', async ({
  server,
  page,
}) => {
  const { id } = await server.api<ExperimentDetail>('POST', '/experiments', {});
  const yaml = await (await fetch(`${server.address}/api/v1/experiments/${id}/plan.yaml`)).text();
  await page.goto(server.address);
  await page.getByRole('button', { name: 'Import plan' }).first().click();
  await page.getByRole('textbox').last().fill(yaml.replace('repetitions: 5', 'repetitions: many'));
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Import/ })
    .click();
  await expect(page.getByRole('dialog').getByText('repetitions').first()).toBeVisible();
  await page.getByRole('textbox').last().fill(yaml);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Import/ })
    .click();
  await expect(page).toHaveURL(/\/experiments\/\d+\/edit/);
  const copy = Number(/experiments\/(\d+)/.exec(page.url())?.[1]);
  const [first, second] = await Promise.all(
    [id, copy].map((one) => server.api<ExperimentDetail>('GET', `/experiments/${one}`)),
  );
  expect(second?.draft).toEqual(first?.draft);

  // In the wizard an imported plan replaces the draft; an unknown key is reported with the closest known one.
  await page.getByRole('button', { name: 'Import', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  const text = dialog.getByRole('textbox');
  await text.fill('factors:\n  qoss: [0, 1]\n');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await expect(dialog.getByText('did you mean "qos"?').first()).toBeVisible();
  await text.fill('factors:\n  qos: [0, 1]\n  security: tls1.3\nrepetitions: 4\n');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await expect(dialog).toBeHidden();
  await expect
    .poll(async () => (await server.api<ExperimentDetail>('GET', `/experiments/${copy}`)).draft)
    .toMatchObject({ factors: { qos: [0, 1], security: ['TLS 1.3'] }, repetitions: 4 });
});

test('a save over a draft changed elsewhere is rejected, and the page can overwrite it', async ({
  server,
  page,
}) => {
  const { id, draft } = await server.api<ExperimentDetail>('POST', '/experiments', {});
  await page.goto(`${server.address}/experiments/${id}/edit`);
  const name = page.getByRole('textbox', { name: 'Name' });
  await expect(name).toBeVisible();
  // The other save happens between our edit and our own save, so that only the server can notice.
  await page.route(
    `**/experiments/${id}/draft`,
    async (route) => {
      await server.api('PUT', `/experiments/${id}/draft`, { ...draft, name: 'Theirs' });
      await route.continue();
    },
    { times: 1 },
  );
  await name.fill('Mine');
  const keep = page.getByRole('button', { name: 'Keep this version' });
  await expect(keep).toBeVisible();
  expect((await server.api<ExperimentDetail>('GET', `/experiments/${id}`)).draft.name).toBe('Theirs');
  await keep.click();
  await expect
    .poll(async () => (await server.api<ExperimentDetail>('GET', `/experiments/${id}`)).draft.name)
    .toBe('Mine');
});
