import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures/test.ts';

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);

/** Presses Tab until an element has the focus. Waits first until it can have it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeEnabled();
  for (let i = 0; i < 60; i += 1) {
    if (await isFocused(target)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('by keyboard alone from the first field to a started experiment', async ({ server, page }) => {
  const { id } = await server.api<ExperimentDetail>('POST', '/experiments', {});
  await page.goto(`${server.address}/experiments/${id}/edit/question`);
  const press = async (target: Locator, ...keys: string[]) => {
    await tabTo(page, target);
    for (const key of keys) await page.keyboard.press(key);
  };
  const onward = async (step: string) => {
    // The link of the previous step remains briefly after the address changes.
    const next = page.getByRole('link', { name: /^Next/ }).and(page.locator(`[href$="/edit/${step}"]`));
    await press(next, 'Enter');
    await expect(page).toHaveURL(new RegExp(`/edit/${step}$`));
  };
  await tabTo(page, page.getByLabel('What do you want to know?'));
  await page.keyboard.type('Does a payload cipher add bytes?');
  await expect(page.getByLabel(/^Name/)).toHaveValue('Does a payload cipher add bytes');
  await onward('testbed');
  await onward('factors');
  // The first match is preselected, so Enter adds it.
  await press(page.getByRole('button', { name: 'Add a factor' }), 'Enter');
  await expect(page.getByLabel('Search factors')).toBeFocused();
  await page.keyboard.type('payload ciph');
  await page.keyboard.press('Enter');
  // The chips of a section are one Tab stop.
  const cipher = page.getByRole('button', { name: 'AES-128-GCM', exact: true });
  const section = page.getByRole('group').filter({ has: cipher });
  await tabTo(page, section.locator('button[aria-pressed][tabindex="0"]'));
  for (let i = 0; i < 20 && !(await isFocused(cipher)); i += 1) await page.keyboard.press('ArrowRight');
  await expect(cipher).toBeFocused();
  await page.keyboard.press('Space');
  await onward('workload');
  await press(page.getByRole('textbox', { name: /^Warm-up/ }), 'Control+a', '0');
  await press(page.getByRole('textbox', { name: /^Measure/ }), 'Control+a', '1');
  await onward('repetitions');
  await press(page.getByRole('textbox', { name: 'Repetitions' }), 'Control+a', '1');
  await expect(page.getByText('this testbed has too few earlier runs of a stream workload')).toBeVisible();
  await onward('preflight');
  await press(page.getByRole('button', { name: 'Run the checks' }), 'Enter');
  await onward('review');
  await press(page.getByRole('button', { name: /^Start/ }), 'Enter');
  await expect(page).toHaveURL(new RegExp(`/experiments/${id}$`));
  const { plan } = await server.api<ExperimentDetail>('GET', `/experiments/${id}`);
  expect(plan).toMatchObject({
    name: 'Does a payload cipher add bytes',
    varied: ['security', 'payloadCipher'],
  });
  await server.api('POST', `/experiments/${id}/actions/cancel`);
});
