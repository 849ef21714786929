import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { expectAccessible } from './fixtures/accessible.ts';
import { makeQuickDraft, startExperiment, waitUntil, waitUntilDone } from './fixtures/experiments.ts';
import { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

// The server with accounts uses a self-signed certificate.
test.use({ ignoreHTTPSErrors: true });

const steps = ['question', 'testbed', 'factors', 'workload', 'repetitions', 'preflight', 'review'];

// `legible.spec.ts` covers pages of results.
test('pages meet WCAG 2.2 AA in both colour schemes: the first visit, the wizard, a running experiment, its run, lists and settings', async ({
  freshServer: server,
  page,
}) => {
  const check = async (path: string) => {
    await page.goto(server.address + path);
    await expect(page.getByRole('heading').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, `${path}, ${colorScheme}`);
    }
  };
  await check('/');
  const { id: draft } = await server.api<ExperimentDetail>('POST', '/experiments', {
    draft: makeQuickDraft({
      factors: { security: ['plain', 'TLS 1.2', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] },
    }),
  });
  for (const step of steps) await check(`/experiments/${draft}/edit/${step}`);

  const factors = { security: ['plain', 'TLS 1.3'], rate: [200] };
  const id = await startExperiment(server, makeQuickDraft({ factors, repetitions: 3 }));
  await waitUntil(server, id, ({ runs }) => runs.some(({ status }) => status === 'running'));
  await check(`/experiments/${id}`);
  const { runs } = await waitUntilDone(server, id);
  await check(`/experiments/${id}/runs/${runs[0]?.id}`);
  const { token } = await server.api<{ token: string }>('POST', '/shares', {
    kind: 'run',
    runId: runs[0]?.id,
  });
  const rest = ['/', '/compare', '/studies', '/devices', '/reference/metrics', '/changes', '/settings'];
  for (const path of [...rest, `/s/${token}`, '/docs/', '/docs/api/']) await check(path);
});

test('the login page and the settings of an administrator meet WCAG 2.2 AA', async ({ page }) => {
  const server = new TestServer();
  await server.start({ HOST: '0.0.0.0' });
  try {
    const link = await expect
      .poll(() => /\/log-in#\S+/.exec(server.words)?.[0])
      .toBeDefined()
      .then(() => /\/log-in#\S+/.exec(server.words)?.[0] ?? '');
    await page.goto(server.address + link);
    await page.getByLabel('Name').fill('Anna');
    await expectAccessible(page, 'the first administrator');
    await page.getByRole('textbox', { name: 'Password' }).fill('a password of Anna');
    await page.getByRole('button', { name: 'Create account and log in' }).click();
    await expect(page.getByText('Connected').first()).toBeVisible();
    await page.goto(`${server.address}/settings`);
    await expect(page.getByRole('region', { name: 'Accounts' })).toBeVisible();
    await expectAccessible(page, 'settings');
    await page.getByRole('button', { name: 'Log out everywhere' }).click();
    await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible();
    await expectAccessible(page, 'log in');
  } finally {
    await server.remove();
  }
});
