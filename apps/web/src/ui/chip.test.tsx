import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { expect, it, vi } from 'vitest';
import { mountEachTest } from '../testing/mount.ts';
import { Chip, ChipGroup } from './chip.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();

function show(
  levels: readonly string[],
  selected: string,
  onToggle: (level: string) => void = () => {},
): void {
  act(() =>
    mounted.root.render(
      <MantineProvider env="test">
        <ChipGroup label="Levels">
          {levels.map((level) => (
            <Chip key={level} selected={level === selected} onToggle={() => onToggle(level)}>
              {level}
            </Chip>
          ))}
          <button type="button">3 more</button>
        </ChipGroup>
      </MantineProvider>,
    ),
  );
}

const buttons = () => [...document.querySelectorAll<HTMLButtonElement>('fieldset button')];
const tabStops = () =>
  buttons().flatMap(({ tabIndex, textContent }) => (tabIndex === 0 ? [textContent] : []));
const press = (key: string) =>
  act(() => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));

it('is one Tab stop, at the selected chip; other buttons of the group stay reachable', () => {
  show(['a', 'b', 'c'], 'b');
  expect(tabStops()).toEqual(['b', '3 more']);
});

it('moves between chips by arrow keys, Home and End, without selecting', () => {
  const onToggle = vi.fn();
  show(['a', 'b', 'c'], 'b', onToggle);
  act(() => buttons()[1]?.focus());
  const reached = ['ArrowRight', 'ArrowRight', 'ArrowUp', 'Home', 'ArrowDown', 'End'].map((key) => {
    press(key);
    return document.activeElement?.textContent;
  });
  expect(reached).toEqual(['c', 'a', 'c', 'a', 'b', 'c']);
  expect(tabStops()).toEqual(['c', '3 more']);
  expect(onToggle).not.toHaveBeenCalled();
});

it('stays reachable by Tab after the chip with the focus is removed', () => {
  show(['a', 'b', 'c'], 'a');
  act(() => buttons()[2]?.focus());
  show(['a', 'b'], 'b');
  expect(tabStops()).toEqual(['b', '3 more']);
});
