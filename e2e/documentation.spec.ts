import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expectAccessible } from './fixtures/accessible.ts';
import { expect, test } from './fixtures/test.ts';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const cli = join(root, 'dist', 'cli.mjs');
const command = 'npm run mqttlab -- ';
/** Commands that the test replaces with a running server. */
const startCommand = 'npm start';

interface Block {
  language: string;
  text: string;
  /** File name from the paragraph before it: "Copy this into `first.yaml`:". */
  file: string | null;
}

function blocksOf(path: string): Block[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:into `([\w.-]+)`:\n\n)?```(\w+)\n([\s\S]*?)```/g)].map(
    ([, file, language = '', body = '']) => ({ language, text: body, file: file ?? null }),
  );
}

function findPages(): string[] {
  const guides = readdirSync(join(docs, 'how-to')).sort();
  return [join(docs, 'tutorial.md'), ...guides.map((name) => join(docs, 'how-to', name))];
}

test('every command of the documentation works unchanged, starting with the tutorial', async ({ server }) => {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-docs-'));
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  const env = { ...process.env, MQTTLAB_URL: server.address };
  const ran: string[] = [];
  try {
    for (const page of findPages()) {
      for (const { language, text, file } of blocksOf(page)) {
        if (file !== null) writeFileSync(join(folder, file), text);
        if (language !== 'sh') continue;
        for (const line of text.split('\n').filter((one) => one !== '' && one !== startCommand)) {
          const place = `${relative(root, page)}: ${line}`;
          expect(line.startsWith(command), `${place}: not a command of mqttlab`).toBe(true);
          const words = line.slice(command.length).split(' ');
          const run = () =>
            execFileSync(process.execPath, [cli, ...words], { cwd: folder, env, stdio: 'pipe' });
          expect(run, place).not.toThrow();
          ran.push(line);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(ran.length).toBeGreaterThan(5);
});

test('plans in the documentation are valid', async ({ server }) => {
  const plans = [...findPages(), join(root, 'README.md')]
    .flatMap(blocksOf)
    .filter(({ language, text }) => language === 'yaml' && text.includes('factors:'));
  expect(plans.length).toBeGreaterThan(3);
  for (const { text } of plans) {
    await server.api('POST', '/experiments/import', { text, start: false });
  }
});

test('the server serves the documentation without network access', async ({ server, page }) => {
  const outside: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(server.address)) outside.push(request.url());
  });
  await page.goto(`${server.address}/docs`);
  await expectAccessible(page, 'documentation');
  const links = page.getByRole('navigation', { name: 'Sidebar Navigation' }).getByRole('link');
  const addresses = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
  expect(addresses.length).toBeGreaterThan(10);
  const targets = new Set<string>();
  for (const address of addresses) {
    const answer = await page.goto(address);
    expect(answer?.status(), address).toBe(200);
    await expect(page.getByRole('main').getByRole('heading', { level: 1 }), address).toBeVisible();
    for (const element of await page.locator('main a[href], main img[src]').all()) {
      const target = (await element.getAttribute('href')) ?? (await element.getAttribute('src')) ?? '';
      targets.add(new URL(target, address).href.replace(/#.*/, ''));
    }
  }
  expect([...targets]).toContain(`${server.address}/docs/plan.schema.json`);
  for (const target of [...targets].filter((one) => one.startsWith(`${server.address}/docs/`))) {
    expect((await page.request.get(target)).status(), target).toBe(200);
  }
  expect(outside).toEqual([]);
});

test('on a phone, the navigation comes before the content, and the search finds pages', async ({
  server,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${server.address}/docs/tutorial.html`);
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(main.getByRole('button', { name: 'Copy Code' })).toHaveCount(
    await main.locator('pre').count(),
  );
  const isBefore = await page.evaluate(() => {
    const [sidebar, content] = [document.querySelector('.VPSidebar nav'), document.querySelector('main')];
    return sidebar !== null && content !== null && sidebar.compareDocumentPosition(content) === 4;
  });
  expect(isBefore).toBe(true);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Troubleshooting', exact: true }).first().click();
  await expect(main.getByRole('heading', { level: 1, name: 'Troubleshooting' })).toBeVisible();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill('packet loss');
  await page
    .getByRole('option', { name: /Add packet loss/ })
    .first()
    .click();
  await expect(main.getByRole('heading', { level: 1, name: /Add packet loss/ })).toBeVisible();
});

test('/api/docs shows the API without external resources', async ({ page, server }) => {
  const asked = new Set<string>();
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) asked.add(new URL(request.url()).origin);
  });
  await page.goto(`${server.address}/api/docs`);
  // The list is long, and only its visible part is rendered.
  await expect(page.getByText('/api/v1/accounts/{id}', { exact: true }).first()).toBeVisible();
  expect([...asked]).toEqual([server.address]);
  await page.getByRole('link', { name: 'Live events' }).click();
  await expect(page.getByRole('heading', { name: 'progress' })).toBeVisible();
});
