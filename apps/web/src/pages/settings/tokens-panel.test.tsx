import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { TokensPanel } from './tokens-panel.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();
const asked: string[] = [];
let revokedAt: number | null = null;

beforeEach(() => {
  vi.stubGlobal('fetch', async (address: string | URL, { method = 'GET' }: RequestInit = {}) => {
    const { pathname } = new URL(address, 'http://127.0.0.1');
    asked.push(`${method} ${pathname.replace('/api/v1', '')}`);
    if (method === 'DELETE') revokedAt = 1;
    if (method === 'POST') revokedAt = null;
    if (method !== 'GET') return new Response(null, { status: 204 });
    const token = {
      id: 7,
      name: 'nightly',
      role: 'operator',
      scope: 'experiments',
      createdAt: 0,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt,
    };
    return Response.json({ items: pathname.endsWith('/tokens') ? [token] : [] });
  });
});

const button = (name: string) =>
  [...document.querySelectorAll('button')].find(
    (one) => one.getAttribute('aria-label') === name || one.textContent === name,
  );
const press = (name: string) => act(async () => button(name)?.click());

it('revokes a token with one click, and restores it on request', async () => {
  await act(async () =>
    mounted.root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient()}>
          <Notifications />
          <TokensPanel />
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  await expect.poll(() => button('Revoke nightly')).toBeDefined();
  await press('Revoke nightly');
  await expect.poll(() => document.body.textContent).toContain('Token nightly was revoked');
  expect(asked).toContain('DELETE /tokens/7');
  await expect.poll(() => button('Revoke nightly')).toBeUndefined();
  await press('Undo');
  await expect.poll(() => button('Revoke nightly')).toBeDefined();
  expect(asked).toContain('POST /tokens/7/restore');
});
