import { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

const secret = 'a-secret-of-more-than-thirty-two-characters';

test('beyond loopback nothing starts without an administrator', async () => {
  const server = new TestServer();
  await expect(server.start({ HOST: '0.0.0.0' })).rejects.toThrow(/ended with 1:.*MQTTLAB_ADMIN_TOKEN/s);
  await server.remove();
});

test('beyond loopback the page asks for a token and lets its bearer in', async ({ page }) => {
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
  await server.remove();
});
