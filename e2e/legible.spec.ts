import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expectAccessible } from './fixtures/accessible.ts';
import { findIllegible, hearCanvases } from './fixtures/legible.ts';
import { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

const fill = join(dirname(dirname(fileURLToPath(import.meta.url))), 'apps/server/bench/fill.ts');
const counts = [2, 6, 16, 60];
const windows = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Colours do not move text, but charts are redrawn: one treatment count is enough for the dark scheme. */
function schemesOf(treatments: number): ('light' | 'dark')[] {
  return treatments === 6 ? ['light', 'dark'] : ['light'];
}

test('pages of results with 2 to 60 treatments can be read in every window and both colour schemes', async ({
  page,
}) => {
  test.setTimeout(900_000);
  const server = new TestServer();
  const args = ['--disable-warning=ExperimentalWarning', fill, server.dataFolder, ...counts.map(String)];
  const played: { id: number; treatments: number }[] = JSON.parse(
    (await promisify(execFile)(process.execPath, args)).stdout,
  );
  expect(played.map(({ treatments }) => treatments)).toEqual(counts);
  await server.start();
  await hearCanvases(page);
  const problems: string[] = [];
  try {
    for (const { id, treatments } of played) {
      const study = await server.api<{ id: string; parts: { id: string }[] }>('POST', '/studies', {
        experimentIds: [id],
        title: `Of ${treatments}`,
      });
      const tags = [`study:${study.id}`, `part:${study.parts[0]?.id}`, 'scale:full'];
      await server.api('PATCH', `/experiments/${id}`, { tags });
      const { token } = await server.api<{ token: string }>('POST', '/shares', {
        kind: 'view',
        view: `experiments=${id}`,
      });
      const paths = [
        `/experiments/${id}`,
        `/compare?experiments=${id}`,
        `/experiments/${id}/report`,
        `/s/${token}`,
        `/studies/${study.id}/results/${id}`,
      ];
      for (const path of paths) {
        await page.goto(server.address + path);
        // Offscreen panels of Compare have placeholder heights, but their texts have real positions.
        await page.addStyleTag({ content: '* { content-visibility: visible !important; }' });
        for (const size of windows) {
          for (const colorScheme of schemesOf(treatments)) {
            await page.setViewportSize(size);
            await page.emulateMedia({ colorScheme });
            await expect(
              page.locator('main canvas, main figure, main table').filter({ visible: true }).first(),
            ).toBeVisible();
            await expect(page.getByText('being worked out')).toHaveCount(0);
            await expect(page.locator('[aria-label^="Loading"]')).toHaveCount(0);
            await page.waitForLoadState('networkidle');
            const found = await findIllegible(page);
            problems.push(
              ...found.map((one) => `${treatments} at ${size.width}, ${colorScheme}, ${path}: ${one}`),
            );
            if (treatments === 6) await expectAccessible(page, `${path} at ${size.width}, ${colorScheme}`);
            if (process.env.MQTTLAB_SCREENSHOTS) {
              const name = `${treatments}-${path.replaceAll(/\W+/g, '-')}-${size.width}-${colorScheme}.png`;
              await page.screenshot({ path: join(process.env.MQTTLAB_SCREENSHOTS, name), fullPage: true });
            }
          }
        }
      }
    }
  } finally {
    await server.remove();
  }
  expect(problems).toEqual([]);
});
