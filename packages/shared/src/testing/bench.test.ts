import { expect, test } from 'vitest';
import { atMost, figure, formatRows, makeRow, median } from './bench.ts';

test('a row is compared with a fixed value, with another program, or with nothing', () => {
  expect(atMost('start', 4, { limit: 5, unit: 's' })).toMatchObject({ goal: 'at most 5 s', met: true });
  expect(makeRow({ name: 'held', value: 9, unit: 'agents', atLeast: 10 })).toMatchObject({ met: false });
  const beside = { program: 'mosquitto_pub', reference: 4 };
  expect(makeRow({ name: 'publish', value: 3, unit: 'µs', atMost: 0.5, beside })).toEqual({
    name: 'publish',
    value: 3,
    unit: 'µs',
    reference: 4,
    ratio: 0.75,
    goal: 'at most 0.5 x mosquitto_pub',
    met: false,
  });
  expect(figure('size', 3, 'MB')).toMatchObject({ goal: '', met: null });
});

test('the table has three digits and marks missed goals', () => {
  const [, met, missed] = formatRows([
    atMost('start', 4.1234, { limit: 5, unit: 's' }),
    atMost('frame', 61, { limit: 50, unit: 'ms' }),
  ]);
  expect(met).toMatch(/4\.12 s .* at most 5 s +met$/);
  expect(missed).toMatch(/MISSED$/);
  expect(median([3, 1, 2, 10])).toBe(2.5);
});
