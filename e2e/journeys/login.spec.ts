import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures/test.ts';
import { isGenuine, WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const password = 'a password of Anna';

// The server uses a self-signed certificate. Other tests check that clients verify it.
test.use({ ignoreHTTPSErrors: true });

async function logIn(page: Page, name: string, shown: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('textbox', { name: 'Password' }).fill(shown);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

test('beyond loopback the printed link creates an administrator, who adds a second user; each sees what the other starts', async ({
  page,
  browser,
  stoppedServer: server,
}) => {
  await server.start({ HOST: '0.0.0.0' });
  const address = `https://127.0.0.1:${new URL(server.address).port}`;
  expect(server.address).toMatch(/^https:/);
  const link = await expect
    .poll(() => /https:\S+\/log-in(#\S+)/.exec(server.words)?.[1])
    .toBeDefined()
    .then(() => /\/log-in#\S+/.exec(server.words)?.[0] ?? '');
  expect((await page.request.get(`${address}/api/v1/experiments`)).status()).toBe(401);
  await page.goto(address + link);
  await page.getByLabel('Name').fill('Anna');
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Create account and log in' }).click();
  await expect(page.getByText('Connected').first()).toBeVisible();
  const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'mqttlab_session');
  expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict' });

  await page.goto(`${address}/settings`);
  const accounts = page.getByRole('region', { name: 'Accounts' });
  await accounts.getByRole('button', { name: 'Add an account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Ben');
  await dialog.getByLabel('Password').fill('a password of Ben');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(accounts.getByText('Ben')).toBeVisible();

  const bens = await browser.newContext({ ignoreHTTPSErrors: true });
  const ben = await bens.newPage();
  await ben.goto(`${address}/experiments`);
  await expect(ben.getByRole('button', { name: 'Log in', exact: true })).toBeVisible();
  const offer = ben.getByRole('region', { name: 'Certificate of this server' });
  const download = ben.waitForEvent('download');
  await offer.getByRole('link', { name: 'Download its CA certificate' }).click();
  const authority = new X509Certificate(await readFile(await (await download).path()));
  expect(authority.ca).toBe(true);
  await expect(offer).toContainText(authority.fingerprint256);
  await logIn(ben, 'Ben', 'a wrong one');
  await expect(ben.getByText(/Name or password is wrong/)).toBeVisible();
  await logIn(ben, 'Ben', 'a password of Ben');
  await expect(ben.getByText('Connected').first()).toBeVisible();
  await ben.goto(`${address}/settings`);
  await expect(ben.getByRole('region', { name: 'Webhooks' })).toHaveCount(0);

  await page.goto(`${address}/experiments`);
  await page
    .getByRole('button', { name: /Run the tour/ })
    .first()
    .click();
  await expect(page.getByText(/started by Anna/)).toBeVisible();
  await ben.goto(`${address}/experiments/1`);
  await expect(ben.getByText(/started by Anna/)).toBeVisible();
  await ben.getByRole('button', { name: 'Share live' }).click();
  const sharing = ben.getByRole('dialog');
  await expect(sharing.getByText(/runs of 6 treatments/)).toBeVisible();
  await sharing.getByLabel('Password').fill('for the guests');
  await sharing.getByRole('button', { name: 'Create link' }).click();
  const shared = await sharing.getByRole('textbox', { name: 'Address of the link' }).inputValue();
  await page.request.post(`${address}/api/v1/experiments/1/actions/cancel`);

  const guest = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  await guest.goto(shared);
  await guest.getByRole('textbox', { name: 'Password' }).fill('a wrong guess');
  await guest.getByRole('button', { name: 'Open' }).click();
  await expect(guest.getByText(/is not the password for this link/)).toBeVisible();
  await guest.getByRole('textbox', { name: 'Password' }).fill('for the guests');
  await guest.getByRole('button', { name: 'Open' }).click();
  await expect(guest.getByText('read only')).toBeVisible();
  await expect(guest.getByRole('region', { name: /Treatments/ })).toBeVisible();
  await expect(guest.getByText(/Anna/)).toHaveCount(0);
  const content = await guest.request.get(new URL(`/api/v1/shared/${shared.split('/').at(-1)}`, shared).href);
  expect(content.status()).toBe(200);
  expect(await content.text()).not.toContain('Anna');

  await page.goto(`${address}/changes`);
  const changes = page.getByRole('table', { name: 'Changes' });
  for (const row of [/Ben.*Create a read-only link/, /Anna.*tour/, /Anna.*Create an account.*Ben/]) {
    await expect(changes.getByRole('row', { name: row })).toBeVisible();
  }
  await addWebhook(page, address);
  await page.getByRole('button', { name: 'Log out everywhere' }).click();
  await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible();
  await expect(ben.getByText('Connected').first()).toBeVisible();
});

/** Adds, tests, switches off, removes and restores a webhook on the settings page. */
async function addWebhook(page: Page, address: string): Promise<void> {
  const receiver = new WebhookReceiver();
  const url = await receiver.start();
  await page.goto(`${address}/settings`);
  const panel = page.getByRole('region', { name: 'Webhooks' });
  const name = url.replace('http://', '');
  await panel.getByRole('button', { name: 'Add a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('http://169.254.169.254/latest');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByText(/is a link-local or metadata address/)).toBeVisible();
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const secret = dialog.getByRole('textbox', { name: 'Secret' });
  await expect(secret).toHaveValue(/^whsec_/);
  const shown = await secret.inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();

  await panel.getByRole('button', { name: `Send test to ${name}` }).click();
  await expect(panel.getByText('Test, status 204')).toBeVisible();
  expect(receiver.messages.map((message) => [message.event, isGenuine(message, shown)])).toEqual([
    ['test', true],
  ]);
  await panel.getByRole('switch', { name: `Send messages to ${name}` }).press('Space');
  await expect(panel.getByRole('switch', { name: `Send messages to ${name}` })).not.toBeChecked();
  await panel.getByRole('button', { name: `Remove ${name}` }).click();
  await expect(panel.getByText(/No webhooks yet/)).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(panel.getByText(url)).toBeVisible();
  receiver.stop();
}
