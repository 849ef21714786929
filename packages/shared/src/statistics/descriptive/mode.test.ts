import { expect, it } from 'vitest';
import { halfSampleMode } from './mode.ts';

it.each([
  [[4], 4],
  [[4, 6], 5],
  [[1, 2, 9], 1.5],
  [[1, 8, 9], 8.5],
  [[1, 2, 3], 2],
  [[5, 1, 5, 9, 5, 2], 5],
  // The densest half lies around 10, far from mean and median of the tail.
  [[9.9, 10, 10.05, 30, 50, 70, 90, 10.12], 10.025],
])('the mode of %j is %d', (values, mode) => {
  expect(halfSampleMode(values)).toBeCloseTo(mode, 10);
});

it('nothing has no mode', () => {
  expect(halfSampleMode([])).toBeNaN();
});
