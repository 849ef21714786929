import { act } from 'react';
import { expect, it } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { FinalBadge } from './final-badge.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();

it.each([
  [null, 'Done'],
  [{ done: 18, flagged: 0 }, 'Done'],
  [{ done: 18, flagged: 18 }, 'Done, all flagged'],
  [{ done: 18, flagged: 2 }, 'Done, 2 of 18 flagged'],
])('the badge of %o is "%s"', (progress, text) => {
  act(() => mounted.root.render(<FinalBadge progress={progress} />));
  expect(document.querySelector('[data-tone]')?.textContent).toBe(text);
});
