import { MantineProvider } from '@mantine/core';
import type { SessionState } from '@mqttlab/shared/messages/access';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, it, vi } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { SettingsPage } from './settings-page.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();
let session: SessionState;
const nobody = {
  name: null,
  accountId: null,
  needsFirst: false,
  publicOrigin: null,
  authorityFingerprint: null,
};

beforeEach(() => {
  vi.stubGlobal('fetch', async (address: string | URL) => {
    const { pathname } = new URL(address, 'http://127.0.0.1');
    if (pathname.endsWith('/session')) return Response.json(session);
    const isList = /\/(shares|webhooks|accounts|tokens|signers)$/.test(pathname);
    const unknown = pathname.endsWith('/signers') ? { unknown: [] } : {};
    return isList ? Response.json({ items: [], ...unknown }) : new Response(null, { status: 404 });
  });
});

const show = () =>
  act(async () =>
    mounted.root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
          <MemoryRouter>
            <SettingsPage />
          </MemoryRouter>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
const headings = () => [...mounted.host.querySelectorAll('h2')].map(({ textContent }) => textContent);
const links = () => [...mounted.host.querySelectorAll('nav[aria-label="Sections"] a')];

it.each([
  ['administrator', 10],
  ['viewer', 4],
] as const)('lists the sections that an %s sees, each with a link to its panel', async (role, count) => {
  session = { ...nobody, loginRequired: role === 'viewer', role };
  await show();
  await expect.poll(headings).toHaveLength(count);
  expect(links().map(({ textContent }) => textContent)).toEqual(headings());
  for (const link of links()) {
    const target = mounted.host.querySelector(link.getAttribute('href') ?? '');
    expect(target?.querySelector('h2')?.textContent).toBe(link.textContent);
  }
});

it('shows an empty list as one sentence, without the head of a table', async () => {
  session = { ...nobody, loginRequired: false, role: 'viewer' };
  await show();
  await expect.poll(() => mounted.host.textContent).toContain('No share links yet.');
  expect(mounted.host.querySelector('table')).toBeNull();
});
