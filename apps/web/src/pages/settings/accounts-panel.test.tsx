import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { AccountsPanel } from './accounts-panel.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();
let asked: string[] = [];

beforeEach(() => {
  asked = [];
  vi.stubGlobal('fetch', async (address: string | URL, { method = 'GET' }: RequestInit = {}) => {
    const { pathname } = new URL(address, 'http://127.0.0.1');
    if (method !== 'GET') {
      asked.push(`${method} ${pathname.replace('/api/v1', '')}`);
      return new Response(null, { status: 204 });
    }
    const account = { id: 3, name: 'Ada', role: 'viewer', createdAt: 0, lastUsedAt: null, sessions: 0 };
    return Response.json({ items: pathname.endsWith('/accounts') ? [account] : [] });
  });
});

const button = (name: string) =>
  [...document.querySelectorAll('button')].find(
    (one) => one.getAttribute('aria-label') === name || one.textContent === name,
  );
const press = async (name: string) => {
  await expect.poll(() => button(name)).toBeDefined();
  await act(async () => button(name)?.click());
};

it('removes an account only after a confirmation that says it is final', async () => {
  await act(async () =>
    mounted.root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient()}>
          <Notifications />
          <AccountsPanel />
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  await press('More about Ada');
  await press('Remove');
  await expect.poll(() => document.body.textContent).toContain('A removed account cannot be restored.');
  expect(asked).toEqual([]);
  await press('Remove account');
  await expect.poll(() => asked).toEqual(['DELETE /accounts/3']);
});
