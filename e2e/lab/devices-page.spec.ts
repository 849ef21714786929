import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { TestServer } from '../fixtures/server.ts';
import { labUsers } from './base-tree.ts';
import { readFingerprint } from './fixtures/host-fingerprint.ts';
import { labPaths } from './lab-paths.ts';
import { VirtualLab } from './virtual-lab.ts';

const paths = labPaths('page');
const names = ['pi-1', 'pi-2', 'pi-3'];
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

test('three devices are added by their address and become a testbed', async ({ page }) => {
  await page.goto(`${server.address}/devices`);
  for (const name of names) {
    await page.getByRole('button', { name: 'Add a device' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Address').fill(lab.device(name).addresses.ethernet);
    await dialog.getByRole('button', { name: 'Show its host key' }).click();
    // As a person does on the device itself.
    await expect(dialog.getByText(await readFingerprint(lab, name))).toBeVisible();
    await dialog.getByLabel('Password of pi').fill(labUsers.pi.password);
    if (name === 'pi-1') {
      const { violations } = await new AxeBuilder({ page }).include('[role=dialog]').analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
    await dialog.getByRole('button', { name: 'Trust this key and install' }).click();
    await expect(dialog.getByText(/^online after/)).toBeVisible({ timeout: 120_000 });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  }
  const added = page.getByRole('region', { name: 'Added devices' });
  await expect(added.getByText('Online')).toHaveCount(3, { timeout: 30_000 });

  await page.getByRole('button', { name: 'Make a testbed' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Three Pis');
  await expect(dialog.getByText('Links: ethernet, wifi.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Make it' }).click();
  await expect(page.getByRole('heading', { name: 'Three Pis', exact: true })).toBeVisible();
  await expect(page.getByText('3 of 3 online')).toHaveCount(2, { timeout: 30_000 });
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);

  await page.getByRole('button', { name: 'Dissolve' }).click();
  await expect(page.getByRole('heading', { name: 'Three Pis', exact: true })).toBeHidden();
  await expect(added.getByText('in no testbed')).toHaveCount(3, { timeout: 30_000 });
});
