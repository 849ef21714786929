import type { Page } from '@playwright/test';
import { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';
import { isGenuine, WebhookReceiver } from './fixtures/webhook-receiver.ts';

const secret = 'a-secret-of-more-than-thirty-two-characters';

test('beyond loopback nothing starts without an administrator', async () => {
  const server = new TestServer();
  await expect(server.start({ HOST: '0.0.0.0' })).rejects.toThrow(/ended with 1:.*MQTTLAB_ADMIN_TOKEN/s);
  await server.remove();
});

test('beyond loopback the page asks for a token and lets its bearer in, who adds a webhook', async ({
  page,
}) => {
  const server = new TestServer();
  await server.start({ HOST: '0.0.0.0', MQTTLAB_ADMIN_TOKEN: secret });
  const address = `http://127.0.0.1:${new URL(server.address).port}`;
  await page.goto(address);
  await page.getByLabel('API token').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByText(/unknown or revoked/)).toBeVisible();
  expect((await fetch(`${address}/api/v1/experiments`)).status).toBe(401);

  await page.getByLabel('API token').fill(secret);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('button', { name: /Run the tour/ }).first()).toBeVisible();
  await expect(page.getByText('Connected').first()).toBeVisible();
  await addWebhook(page, address);
  await server.remove();
});

/** Refused, added, tested, switched off, removed and brought back on the page of settings. */
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

  await panel.getByRole('button', { name: `Send a test to ${name}` }).click();
  await expect(panel.getByText('Test, answered 204')).toBeVisible();
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
