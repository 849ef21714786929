import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { expectAccessible } from './fixtures/accessible.ts';
import { waitUntil } from './fixtures/experiments.ts';
import { expect, test } from './fixtures/test.ts';

const cli = join(import.meta.dirname, '..', 'dist', 'cli.mjs');

test('clients are tested from the page, with every combination; results remain after a cancellation', async ({
  server,
  page,
}) => {
  await page.goto(`${server.address}/studies`);
  await page.getByRole('link', { name: 'What each client can do' }).click();
  await expect(page.getByText('No client has been tested yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Test all clients' }).click();
  await expect(page).toHaveURL(/\/studies\/clients\/\d+$/);
  const id = Number(/(\d+)$/.exec(page.url())?.[1]);
  await waitUntil(server, id, ({ progress }) => progress.done >= 2);
  const native = page.getByRole('table', { name: 'What native can do' });
  await expect(native.getByRole('link', { name: 'works' }).first()).toBeVisible();
  await expect(page.getByRole('table', { name: 'What mosquitto clients can do' })).toContainText(
    'impossible',
  );
  await expect(page.getByText(/mosquitto clients cannot use WebSocket/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: 'Test all clients' })).toBeVisible();
  await expectAccessible(page, 'clients');

  const { runs, plan } = await server.api<ExperimentDetail>('GET', `/experiments/${id}`);
  const works = runs.filter(({ status }) => status === 'done').length;
  await expect(page.getByText(new RegExp(`^${works} combinations? works?, `)).first()).toBeVisible();
  const csv = await (await fetch(`${server.address}/api/v1/experiments/${id}/clients.csv`)).text();
  expect(csv.split('\r\n').filter((line) => line.includes(',works,'))).toHaveLength(works);
  expect(csv).toContain(`the experiment ended before this combination`);
  expect(plan?.question).toMatch(/: native .*; broker mosquitto /);
  const output = await promisify(execFile)(
    process.execPath,
    [cli, 'clients', 'show', '--server', server.address],
    { maxBuffer: 1e7 },
  ).catch((error: { stdout: string }) => error);
  expect(output.stdout).toContain('mosquitto clients cannot use WebSocket');
  const rows = output.stdout
    .split('\n')
    .filter((line) => /^(native|mosquitto clients|mqtt\.js|paho-mqtt) /.test(line));
  expect(rows.join('\n').match(/ yes\b/g) ?? []).toHaveLength(works);
});
