import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { expect, it, vi } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { AuthorshipPanel } from './authorship-panel.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();

it('shows why the settings were not saved', async () => {
  const authorship = { author: '', orcid: '', affiliation: '', licence: '', funding: '' };
  const full = {
    type: 'about:blank',
    title: 'Full',
    status: 507,
    detail: 'The disk is full.',
    remedy: 'Free some space.',
    issues: [],
  };
  vi.stubGlobal('fetch', async (_address: unknown, init?: { method?: string }) =>
    init?.method === 'PUT' ? Response.json(full, { status: 507 }) : Response.json(authorship),
  );
  await act(async () =>
    mounted.root.render(
      <QueryClientProvider client={new QueryClient()}>
        <MantineProvider>
          <AuthorshipPanel />
        </MantineProvider>
      </QueryClientProvider>,
    ),
  );
  await expect.poll(() => mounted.host.querySelector('button[type="submit"]')).not.toBeNull();
  await act(async () => mounted.host.querySelector<HTMLElement>('button[type="submit"]')?.click());
  await expect.poll(() => mounted.host.textContent).toContain('The disk is full.');
});
