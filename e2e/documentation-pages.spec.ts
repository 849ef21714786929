import type { Page } from '@playwright/test';
import { expectAccessible } from './fixtures/accessible.ts';
import { expect, test } from './fixtures/test.ts';

/** Parts of the content that are wider than the window, outside of boxes that scroll. */
function findWideParts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts = [...document.querySelectorAll('main *')].filter(
      (part) =>
        part.getBoundingClientRect().right > innerWidth + 1 &&
        part.closest('.wide-table, pre') === null &&
        getComputedStyle(part).position !== 'absolute',
    );
    const page = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [];
    return [...page, ...parts.slice(0, 3).map((part) => part.outerHTML.slice(0, 100))];
  });
}

test('every documentation page fits a phone and meets WCAG 2.2 AA', async ({ server, page }) => {
  // A kill timer: about 50 views.
  test.setTimeout(1_800_000);
  const views = [
    { width: 390, height: 844, colorScheme: 'light', pages: Number.POSITIVE_INFINITY },
    // All pages have the same frame and colours.
    { width: 1440, height: 900, colorScheme: 'dark', pages: 5 },
  ] as const;
  await page.goto(`${server.address}/docs/`);
  const links = page.getByRole('navigation', { name: 'Sidebar Navigation' }).getByRole('link');
  const addresses = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
  expect(addresses.length).toBeGreaterThan(10);
  for (const { width, height, colorScheme, pages } of views) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    for (const address of addresses.slice(0, pages)) {
      await page.goto(address);
      await expect(page.getByRole('main').getByRole('heading', { level: 1 }), address).toBeVisible();
      const where = `${address} at ${width}, ${colorScheme}`;
      expect(await findWideParts(page), where).toEqual([]);
      await expectAccessible(page, where);
    }
  }
});
