import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../fixtures/accessible.ts';
import { TestServer } from '../fixtures/server.ts';
import { labUsers } from './base-tree.ts';
import { readFingerprint } from './fixtures/host-fingerprint.ts';
import { expectLossHappened, removeBehindItsBack, startImpaired } from './fixtures/impaired-experiment.ts';
import { labPaths } from './lab-paths.ts';
import { VirtualLab } from './virtual-lab.ts';

const paths = labPaths('page');
const names = ['pi-1', 'pi-2', 'pi-3'];
// Each test continues with the devices of the previous one.
test.describe.configure({ mode: 'serial' });

const server = new TestServer();
let lab: VirtualLab;

test.beforeAll(async () => {
  await VirtualLab.find(paths)?.remove();
  lab = await VirtualLab.start(paths, { devices: 3, plain: false, onStep: () => undefined });
  await server.start();
});

test.afterAll(async () => {
  await server.remove();
  await lab?.remove();
});

const row = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Added devices' }).getByRole('listitem').filter({ hasText: name });

test('three devices are added by address, form a testbed and measure the effect of loss', async ({
  page,
}) => {
  // Three installations and twelve runs.
  await page.goto(`${server.address}/devices`);
  for (const name of names) {
    await page.getByRole('button', { name: 'Add a device' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Address').fill(lab.device(name).addresses.ethernet);
    await dialog.getByRole('button', { name: 'Show host key' }).click();
    // As a user does on the device.
    await expect(dialog.getByText(await readFingerprint(lab, name))).toBeVisible();
    await dialog.getByLabel('Password of pi').fill(labUsers.pi.password);
    if (name === 'pi-1') {
      await expectAccessible(page, 'dialog', '[role=dialog]');
    }
    await dialog.getByRole('button', { name: 'Trust this key and install' }).click();
    await expect(dialog.getByText(/^online after/)).toBeVisible({ timeout: 120_000 });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  }
  const added = page.getByRole('region', { name: 'Added devices' });
  // Degraded because other programs use the CPU of the lab's machine.
  await expect(added.getByText(/^(Online|Degraded)$/)).toHaveCount(3, { timeout: 30_000 });

  await page.getByRole('button', { name: 'Create a testbed' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Three Pis');
  await expect(dialog.getByLabel('Name of link 1')).toHaveValue('ethernet');
  await expect(dialog.getByLabel('Name of link 2')).toHaveValue('wifi');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('heading', { name: 'Three Pis', exact: true })).toBeVisible();
  await expect(page.getByText('3 of 3 online').last()).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);

  const links = ['ethernet', 'wifi'];
  const losses = ['0 %', '2 %', '4 %'];
  const id = await startImpaired(page, { testbed: 'Three Pis', links, losses });
  await page.goto('about:blank');
  await removeBehindItsBack(lab);
  const meddledWith = await expectLossHappened(server, id);
  await page.goto(`${server.address}/experiments/${id}`);
  await page.getByRole('main').getByRole('link', { name: 'Compare' }).click();
  await expect(page.getByText(/of 12 runs used/)).toBeVisible();
  await page.getByRole('button', { name: /^Response/ }).click();
  await page.getByRole('textbox', { name: 'Search metrics' }).fill('retransmitted');
  await page.getByRole('option', { name: /^Retransmitted segments/ }).click();
  await expect(page).toHaveURL(/metric=tcp\.retransmissions/);
  await page.goto(`${server.address}/experiments/${id}/runs/${meddledWith}`);
  const impairment = page.getByRole('region', { name: 'Impairment' });
  await expect(impairment.getByText(/removed by another program/)).toBeVisible();

  await page.goto(`${server.address}/devices`);
  await page.getByRole('button', { name: 'Dissolve' }).click();
  await expect(page.getByRole('heading', { name: 'Three Pis', exact: true })).toBeHidden();
  await expect(added.getByText('in no testbed')).toHaveCount(3, { timeout: 30_000 });
});

test('the link of the lab adds its devices and creates a testbed with one click', async ({ page }) => {
  const packed = Buffer.from(JSON.stringify(lab.inventory())).toString('base64url');
  await page.goto(`${server.address}/devices#inventory=${packed}`);
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Host key matches the inventory')).toHaveCount(3);
  // The passwords are removed from the address.
  expect(page.url()).toBe(`${server.address}/devices`);
  await expectAccessible(page, 'dialog', '[role=dialog]');
  await dialog.getByRole('button', { name: 'Install on these 3 devices' }).click();
  await expect(dialog.getByText('Installed and online')).toHaveCount(3, { timeout: 120_000 });
  await expect(dialog.getByText('Links: ethernet, wifi.')).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page, 'dialog', '[role=dialog]');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('heading', { name: 'Virtual lab page', exact: true })).toBeVisible();
});

test('a changed host key blocks the connection until the new key is trusted', async ({ page }) => {
  const renew = [
    'rm /etc/ssh/ssh_host_ed25519_key*',
    'ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/ssh_host_ed25519_key',
    'systemctl restart ssh',
    'pkill -KILL sshd-session',
  ];
  await lab.run('pi-1', ['sh', '-c', renew.join('; ')]);
  await page.goto(`${server.address}/devices/pi-1`);
  const warning = page.getByRole('alert').filter({ hasText: 'The host key of pi-1 has changed.' });
  await expect(warning).toBeVisible({ timeout: 60_000 });
  await warning.getByRole('button', { name: 'Compare keys' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(await readFingerprint(lab, 'pi-1'))).toBeVisible();
  await expectAccessible(page, 'dialog', '[role=dialog]');
  await expect(dialog.getByRole('button', { name: 'Trust the new key' })).toBeDisabled();
  await dialog.getByLabel('I compared the key').check();
  await dialog.getByRole('button', { name: 'Trust the new key' }).click();
  await expect(warning).toBeHidden();
  await expect(page.getByText(/^(Online|Degraded)$/)).toBeVisible({ timeout: 60_000 });
});

test('a plug entered on a device page becomes its energy source', async ({ page }) => {
  const plug = createServer((request, response) => {
    if (request.url?.startsWith('/rpc/')) response.end(JSON.stringify({ apower: 3.4 }));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => plug.listen(0, lab.inventory().serverAddress, resolve));
  try {
    await page.goto(`${server.address}/devices/pi-2`);
    const energy = page.getByRole('region', { name: 'Energy' });
    await energy.getByLabel('Plug or meter').fill('plug');
    await energy.getByRole('button', { name: 'Save' }).click();
    await expect(energy.getByText('is not a meter address')).toBeVisible();
    const { port } = plug.address() as AddressInfo;
    await energy.getByLabel('Plug or meter').fill(`http://${lab.inventory().serverAddress}:${port}`);
    await energy.getByLabel('Battery').fill('10000');
    await energy.getByRole('button', { name: 'Save' }).click();
    const sources = energy.getByRole('list', { name: 'Energy sources' });
    await expect(sources.getByRole('listitem').filter({ hasText: 'Shelly' })).toContainText('used');
    await expectAccessible(page);
  } finally {
    plug.closeAllConnections();
    plug.close();
  }
});

test('a device is removed, then added with a private key and a sudo password', async ({ page }) => {
  await page.goto(`${server.address}/devices`);
  await row(page, 'pi-3').getByRole('button', { name: 'Remove the agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Remove and uninstall' }).click();
  await expect(row(page, 'pi-3')).toHaveCount(0);

  await page.getByRole('button', { name: 'Add a device' }).click();
  await dialog.getByLabel('Name').fill('pi-3');
  await dialog.getByLabel('User').fill('careful');
  await dialog.getByLabel('Address').fill('pi 3; reboot');
  await dialog.getByRole('button', { name: 'Show host key' }).click();
  await expect(dialog.getByText('Is not a host name or address.')).toBeVisible();
  await dialog.getByLabel('Address').fill(lab.device('pi-3').addresses.ethernet);
  await dialog.getByRole('button', { name: 'Show host key' }).click();
  await dialog.getByRole('radio', { name: 'Private key' }).check();
  const [device] = lab.inventory().devices;
  await dialog.getByLabel('Private key of careful').fill(readFileSync(device?.keyFile ?? '', 'utf8'));
  await dialog.getByRole('button', { name: 'Trust this key and install' }).click();
  await expect(dialog.getByText('sudo requires a password for careful.').first()).toBeVisible();
  await dialog.getByLabel('Password for sudo').fill(labUsers.careful.password);
  await dialog.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(dialog.getByText(/^online after/)).toBeVisible({ timeout: 120_000 });
});
