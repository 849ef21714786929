import { MantineProvider } from '@mantine/core';
import { act, useEffect } from 'react';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import { makeExperimentSummary } from '../../live/testing/live-factories.ts';
import { mountEachTest } from '../../testing/mount.ts';
import {
  type ConnectionStatus,
  ShellStatusProvider,
  useUpdateShellStatus,
} from '../../ui/shell/shell-status.tsx';
import { ExperimentBadge } from './live-page.tsx';
import { OfferButtons } from './offers.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();
const sinceMs = new Date(2026, 0, 1, 6, 13).getTime();
const actions = { act: () => undefined, pending: null };

function Connection({ status }: { status: ConnectionStatus }): null {
  const update = useUpdateShellStatus();
  useEffect(() => update({ connection: status }), [update, status]);
  return null;
}

function show(connection: ConnectionStatus, status: 'running' | 'done' = 'running') {
  const experiment = makeExperimentSummary({ status });
  act(() =>
    mounted.root.render(
      <MantineProvider env="test">
        <MemoryRouter>
          <ShellStatusProvider>
            <Connection status={connection} />
            <ExperimentBadge experiment={experiment} showsFlagged={false} />
            <OfferButtons experiment={experiment as never} actions={actions} />
          </ShellStatusProvider>
        </MemoryRouter>
      </MantineProvider>,
    ),
  );
  const buttons = [...mounted.host.querySelectorAll('button')];
  return {
    text: mounted.host.textContent,
    enabled: buttons.flatMap((button) => (button.disabled ? [] : [button.textContent])),
    reasons: [...new Set(buttons.map(({ title }) => title))],
  };
}

const gone: ConnectionStatus = { state: 'gone', sinceMs };

it('offers what can be done while the server is reachable', () => {
  const { text, enabled } = show({ state: 'connected' });
  expect(text).toContain('Running');
  expect(enabled).toEqual(['Pause', 'Stop after this run', 'Cancel']);
});

it('offers nothing without the server, says why, and shows the state as of its time', () => {
  const { text, enabled, reasons } = show(gone);
  expect(enabled).toEqual([]);
  expect(reasons).toEqual([expect.stringMatching(/^The server has not been reachable since 0?6:13/)]);
  expect(text).toMatch(/Was running at 0?6:13/);
});

it('a finished experiment stays finished', () => {
  expect(show(gone, 'done').text).toContain('Done');
});
