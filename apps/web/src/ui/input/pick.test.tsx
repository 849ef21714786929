import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { expect, it, vi } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { PickMenu } from './pick.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();

it('announces the options of a menu as alternatives, with the chosen one checked', async () => {
  const onChange = vi.fn();
  await act(async () =>
    mounted.root.render(
      <MantineProvider env="test">
        <PickMenu
          label="Panels"
          value="qos"
          onChange={onChange}
          options={[
            { value: 'qos', label: 'QoS' },
            { value: 'none', label: 'One panel' },
          ]}
        />
      </MantineProvider>,
    ),
  );
  await act(async () => document.querySelector<HTMLElement>('button')?.click());
  const items = [...document.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
  expect(items.map((item) => [item.role, item.ariaChecked, item.textContent])).toEqual([
    ['menuitemradio', 'true', 'QoS'],
    ['menuitemradio', 'false', 'One panel'],
  ]);
  await act(async () => items[1]?.click());
  expect(onChange).toHaveBeenCalledWith('none');
});
