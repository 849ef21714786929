import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ShellStatusProvider, type StorageNotice, useUpdateShellStatus } from './shell-status.tsx';
import { StorageBanner } from './top-bar.tsx';

// @vitest-environment jsdom
beforeEach(() => vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true));
afterEach(() => vi.unstubAllGlobals());

it('warns on every page that data is not stored, until there is space again', () => {
  const host = document.createElement('div');
  const root = createRoot(host);
  let tell: (storage: StorageNotice | null) => void = () => undefined;
  function RunEvents(): null {
    const update = useUpdateShellStatus();
    tell = (storage) => update({ storage });
    return null;
  }
  act(() =>
    root.render(
      <ShellStatusProvider>
        <RunEvents />
        <StorageBanner />
      </ShellStatusProvider>,
    ),
  );
  expect(host.textContent).toBe('');
  const since = Date.now();
  act(() => tell({ message: 'The disk is full.', remedy: 'Free some space.', since }));
  expect(host.textContent).toMatch(
    /^The disk is full\. No new data has been stored since \d.*Free some space\.$/,
  );
  // The live region must exist before its text changes.
  expect(host.querySelector('[aria-live="assertive"]')?.textContent).not.toBe('');
  act(() => tell(null));
  expect(host.textContent).toBe('');
  act(() => root.unmount());
});
