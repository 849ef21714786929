import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { SharesPanel } from '../pages/settings/shares-panel.tsx';
import { mountEachTest } from '../testing/mount.ts';

// @vitest-environment jsdom
const mounted = mountEachTest();
const token = 'abcdefghijklmnopqrstuv';
const asked: string[] = [];
let revokedAt: number | null = null;

beforeEach(() => {
  vi.stubGlobal('fetch', async (address: string | URL, { method = 'GET' }: RequestInit = {}) => {
    const { pathname } = new URL(address, 'http://127.0.0.1');
    asked.push(`${method} ${pathname.replace('/api/v1', '')}`);
    if (method === 'DELETE') revokedAt = 1;
    if (method === 'POST') revokedAt = null;
    if (method !== 'GET') return new Response(null, { status: 204 });
    const share = {
      token,
      kind: 'run',
      title: 'Run 3',
      path: `/s/${token}`,
      createdAt: 0,
      madeBy: null,
      hasPassword: false,
      openings: 0,
      maxOpenings: null,
      frozenAt: null,
      expiresAt: null,
      revokedAt,
      details: false,
      packets: 'none',
    };
    return Response.json({ items: pathname.endsWith('/shares') ? [share] : [] });
  });
});

const button = (name: string) =>
  [...document.querySelectorAll('button')].find(
    (one) => one.getAttribute('aria-label') === name || one.textContent === name,
  );
const press = (name: string) => act(async () => button(name)?.click());

it('revokes a link with one click, and restores it with the same address on request', async () => {
  await act(async () =>
    mounted.root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient()}>
          <Notifications />
          <SharesPanel />
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  await expect.poll(() => button('Revoke the link to Run 3')).toBeDefined();
  await press('Revoke the link to Run 3');
  await expect.poll(() => document.body.textContent).toContain('The link to Run 3 was revoked');
  expect(asked).toContain(`DELETE /shares/${token}`);
  await expect.poll(() => button('Revoke the link to Run 3')).toBeUndefined();
  await press('Undo');
  await expect.poll(() => button('Revoke the link to Run 3')).toBeDefined();
  expect(asked).toContain(`POST /shares/${token}/restore`);
});
