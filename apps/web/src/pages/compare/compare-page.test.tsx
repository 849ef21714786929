import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, it, vi } from 'vitest';
import { makeExperimentSummary } from '../../live/testing/live-factories.ts';
import { mountEachTest } from '../../testing/mount.ts';
import { ComparePage } from './compare-page.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();
const newest = 250;
/** A kill timer. */
const slowest = { timeout: 240_000 };

function makeExperiment(id: number) {
  const summary = makeExperimentSummary({ id, name: `Number ${id}` });
  return { ...summary, progress: { ...summary.progress, done: 3 } };
}

beforeEach(() => {
  vi.stubGlobal('fetch', async (address: string | URL) => {
    const { pathname, searchParams } = new URL(address, 'http://127.0.0.1');
    if (!pathname.endsWith('/experiments')) return Response.json({ items: [] });
    const from = Number(searchParams.get('before') ?? newest + 1) - 1;
    const ids = Array.from({ length: Math.min(from, Number(searchParams.get('limit'))) }, (_, i) => from - i);
    const last = ids.at(-1) ?? 1;
    return Response.json({
      items: ids.map(makeExperiment),
      ...(last > 1 ? { next: last } : {}),
      total: newest,
      counts: { all: newest, active: 0, draft: 0, finished: newest },
      tags: [],
      runs: 0,
      dataBytes: 0,
    });
  });
});

it('offers every experiment to compare, page by page', async () => {
  await act(async () =>
    mounted.root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
          <MemoryRouter initialEntries={['/compare']}>
            <ComparePage />
          </MemoryRouter>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  const names = () =>
    [...mounted.host.querySelectorAll('tbody tr')].map((row) => /Number (\d+)/.exec(row.textContent)?.[1]);
  const older = () =>
    [...mounted.host.querySelectorAll('button')].find(({ textContent }) =>
      textContent.includes('Show older experiments'),
    );
  await act(() => vi.waitFor(() => expect(older()).toBeDefined(), slowest));
  expect(names()).toHaveLength(200);
  await act(async () => older()?.click());
  await act(() => vi.waitFor(() => expect(older()).toBeUndefined(), slowest));
  expect(names()).toHaveLength(newest);
  expect(names().at(-1)).toBe('1');
});
