import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { expect, it, vi } from 'vitest';
import { mountEachTest } from '../testing/mount.ts';
import { ConfirmDialog, Dialog } from './dialog.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();

const pressEscape = () =>
  act(() => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  });

it.each([
  [true, 0],
  [false, 1],
])('is closed by Escape unless it shows something only once (%s)', (staysOpen, times) => {
  const onClose = vi.fn();
  act(() =>
    mounted.root.render(
      <MantineProvider env="test">
        <Dialog title="The secret" size={300} opened staysOpen={staysOpen} onClose={onClose}>
          <p>abc</p>
        </Dialog>
      </MantineProvider>,
    ),
  );
  pressEscape();
  expect(onClose).toHaveBeenCalledTimes(times);
});

it('executes an irreversible action only after confirmation', () => {
  const [onConfirm, onClose] = [vi.fn(), vi.fn()];
  act(() =>
    mounted.root.render(
      <MantineProvider env="test">
        <ConfirmDialog
          title="Remove the account Ben?"
          words="It cannot be restored."
          action="Remove account"
          opened
          isPending={false}
          {...{ onConfirm, onClose }}
        />
      </MantineProvider>,
    ),
  );
  expect(onConfirm).not.toHaveBeenCalled();
  const click = (name: string) =>
    act(() => [...document.querySelectorAll('button')].find((one) => one.textContent === name)?.click());
  click('Cancel');
  expect([onConfirm.mock.calls.length, onClose.mock.calls.length]).toEqual([0, 1]);
  click('Remove account');
  expect(onConfirm).toHaveBeenCalledOnce();
});
