import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, type ComponentProps } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, it, vi } from 'vitest';
import { mountEachTest } from '../../../testing/mount.ts';
import { RunPartAgain } from './run-part-again.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();
const asked: string[] = [];

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal('fetch', async (address: string | URL, { method = 'GET' }: RequestInit = {}) => {
    asked.push(`${method} ${new URL(address, 'http://127.0.0.1').pathname.replace('/api/v1', '')}`);
    return Response.json({ id: 4, runs: [] });
  });
});

type Props = ComponentProps<typeof RunPartAgain>;

/** Two treatments; `flags`: whether each run is flagged. */
function inputOf(flags: boolean[], flagged = false): Props['input'] {
  const treatments = [flags.slice(1), flags.slice(0, 1)].map((some) => ({
    runs: some.map((isFlagged, runId) => ({ runId, flagged: isFlagged })),
  }));
  return { treatments: treatments as unknown as Props['input']['treatments'], flagged };
}

const done = { id: 4, status: 'done', imported: null } as const;

async function show(props: Props): Promise<HTMLButtonElement | null> {
  await act(async () =>
    mounted.root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient()}>
          <MemoryRouter>
            <RunPartAgain {...props} />
          </MemoryRouter>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  return mounted.host.querySelector('button');
}

it('runs the flagged runs of a part again if all are flagged', async () => {
  const button = await show({ experiment: done, input: inputOf([true, true, true]) });
  expect(button?.textContent).toBe('Run these 3 again');
  await act(async () => button?.click());
  await expect.poll(() => asked).toContain('POST /experiments/4/actions/rerun-flagged');
});

it('is hidden if a run is valid, flagged runs are included, or the experiment cannot run again', async () => {
  const all = inputOf([true, true]);
  expect(await show({ experiment: done, input: inputOf([true, false]) })).toBeNull();
  expect(await show({ experiment: done, input: inputOf([]) })).toBeNull();
  expect(await show({ experiment: done, input: inputOf([true, true], true) })).toBeNull();
  expect(await show({ experiment: { ...done, status: 'running' }, input: all })).toBeNull();
  const imported = { from: 'x', at: 0 } as unknown as NonNullable<Props['experiment']>['imported'];
  expect(await show({ experiment: { ...done, imported }, input: all })).toBeNull();
});
