import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { StudyList, StudyRun } from '@mqttlab/shared/messages/studies';
import { expectAccessible } from './fixtures/accessible.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { openResult, waitUntilOver } from './fixtures/study-runs.ts';
import { expect, test } from './fixtures/test.ts';

const execute = promisify(execFile);
const cli = join(import.meta.dirname, '..', 'dist', 'cli.mjs');

test('an experiment is saved as a study, exported, imported, and run again next to its first results', async ({
  server,
  page,
}, info) => {
  const tour = makeQuickDraft();
  const draft = { ...tour, name: 'Ours', factors: { ...tour.factors, security: ['plain'], qos: [0] } };
  const experiment = await startExperiment(server, draft);
  await waitUntilDone(server, experiment);
  const later = { draft: { ...draft, name: 'Ours, later' } };
  const second = await server.api<ExperimentDetail>('POST', '/experiments', later);
  await page.goto(`${server.address}/experiments`);
  await page.getByRole('button', { name: `Actions for E-${experiment}` }).click();
  await page.getByRole('menuitem', { name: 'Save as a study' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save as a study' });
  await dialog.getByLabel('Title').fill('Plain at two levels');
  await dialog.getByLabel('Additional parts').click();
  await page.getByRole('option', { name: `E-${second.id} Ours, later` }).click();
  await expectAccessible(page, 'dialog');
  await dialog.getByLabel('Source').fill('Us, 2026');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(`${server.address}/studies`);
  const card = page.getByRole('region', { name: 'Plain at two levels' });
  await expect(card).toContainText('Custom study · Us, 2026');

  await card.getByRole('button', { name: 'Actions for Plain at two levels' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export as YAML' }).click(),
  ]);
  const file = info.outputPath('ours.yaml');
  await download.saveAs(file);
  await card.getByRole('button', { name: 'Actions for Plain at two levels' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(card).toBeHidden();

  // Invalid input is rejected by field, and the corrected file is imported.
  const text = await readFile(file, 'utf8');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const importing = page.getByRole('dialog', { name: 'Import a study' });
  await importing.getByRole('textbox').fill(text.replace('schemaVersion: 1', 'schemaVersion: 9'));
  await importing.getByRole('button', { name: 'Import' }).click();
  await expect(importing.getByRole('alert')).toContainText('schemaVersion');
  await importing.getByRole('textbox').fill(text);
  await importing.getByRole('button', { name: 'Import' }).click();
  await expect(card).toBeVisible();
  await expect(card.getByRole('region', { name: /^Part a: Ours$/ })).toBeVisible();
  await expect(card.getByRole('region', { name: /^Part b: Ours, later$/ })).toBeVisible();

  await card.getByRole('button', { name: /^Run / }).click();
  await page.getByRole('menuitem', { name: /^smoke/ }).click();
  await expect(page).toHaveURL(/\/studies\/runs\/\d+$/);
  const run = await waitUntilOver(server, Number(/(\d+)$/.exec(page.url())?.[1]));
  expect(run.parts.map(({ progress }) => progress?.failed)).toEqual([0, 0]);
  const words = await openResult(page, server, run);
  expect(words).toContain('original results');
  expect(words).not.toMatch(/NaN|undefined|Infinity/);
  await expectAccessible(page, 'study run');

  // The link shows nothing else, drops a deleted experiment, and stops working when it is revoked.
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const sharing = page.getByRole('dialog', { name: `Share study run ${run.id}` });
  await sharing.getByRole('button', { name: 'Create link' }).click();
  const address = await sharing.getByRole('textbox', { name: 'Address of the link' }).inputValue();
  const visitor = await page.context().newPage();
  await visitor.goto(address);
  const shown = visitor.getByRole('article');
  const part = shown.getByRole('region', { name: /^Part a/ });
  await expect(part).toContainText('original results');
  await expect(shown).toContainText('Differences from the published study');
  await expect(shown.getByRole('link', { name: /^E-/ })).toHaveCount(0);
  await expectAccessible(visitor, 'shared study run');
  await server.api('DELETE', `/experiments/${run.parts[0]?.experimentId}`);
  await visitor.reload();
  await expect(part).toContainText('experiment for this part was deleted');
  await sharing.getByRole('button', { name: 'Revoke' }).click();
  await expect(sharing.getByText('No links yet.')).toBeVisible();
  await visitor.reload();
  await expect(visitor.getByText(/This link was revoked/)).toBeVisible();
});

test('cancelling a study run cancels every part, and the command line reports it', async ({
  freshServer: server,
  page,
}) => {
  const call = (...args: string[]) =>
    execute(process.execPath, [cli, ...args, '--server', server.address]).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  const { code, stdout } = await call('study', 'list');
  expect(code).toBe(0);
  const { items } = await server.api<StudyList>('GET', '/studies');
  expect(items).toHaveLength(5);
  for (const { id } of items) expect(stdout).toContain(id);
  const refused = await call('study', 'run', 'rpi-broker', '--part', 'z');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('is not a part of rpi-broker');
  const bad = join(server.dataFolder, 'bad.yaml');
  await writeFile(bad, 'kind: something\n');
  const unread = await call('study', 'import', bad);
  expect(unread.code).not.toBe(0);
  expect(unread.stderr).toContain('kind');
  expect((await server.api<{ items: ExperimentDetail[] }>('GET', '/experiments')).items).toEqual([]);

  const following = call('study', 'run', 'cipher-suites');
  let run: StudyRun | undefined;
  await expect
    .poll(async () => {
      [run] = (await server.api<{ items: StudyRun[] }>('GET', '/study-runs')).items;
      return run?.parts[0]?.status;
    })
    .toBe('running');
  await page.goto(`${server.address}/studies/runs/${run?.id}`);
  await page.getByRole('button', { name: 'Cancel all parts' }).click();
  await expect(page.getByRole('list', { name: 'Parts' }).getByText('Cancelled')).toHaveCount(4);
  await expect(page.getByRole('button', { name: 'Cancel all parts' })).toBeHidden();
  expect((await following).code).toBe(1);
});
