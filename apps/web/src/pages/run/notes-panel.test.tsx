import { MantineProvider } from '@mantine/core';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { expect, it, vi } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { NotesPanel } from './notes-panel.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();

const run = { id: 3, notes: '', tags: [], exclusion: null, status: 'done' } as unknown as RunDetail;

const button = (name: string) =>
  [...mounted.host.querySelectorAll('button')].find(({ textContent }) => textContent === name);

it('sends the reason for leaving out a run without spaces around it, and only if there is one', async () => {
  const requests: { address: string; body: string }[] = [];
  vi.stubGlobal('fetch', async (address: unknown, init: { body: string }) => {
    requests.push({ address: String(address), body: init.body });
    return Response.json({}, { status: 500 });
  });
  await act(async () =>
    mounted.root.render(
      <QueryClientProvider client={new QueryClient()}>
        <MantineProvider>
          <NotesPanel run={run} readOnly={false} />
        </MantineProvider>
      </QueryClientProvider>,
    ),
  );
  await act(async () => button('Leave out of analysis')?.click());
  expect(button('Leave out')?.disabled).toBe(true);
  const input = mounted.host.querySelector('input');
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
  await act(async () => {
    setValue?.call(input, ' a cable came loose ');
    input?.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await act(async () => button('Leave out')?.click());
  await expect.poll(() => requests).toHaveLength(1);
  expect(requests[0]?.address).toContain('/runs/3');
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ exclusion: { reason: 'a cable came loose' } });
});
