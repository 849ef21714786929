import { expect, test } from 'vitest';
import { describeGaps, describeIdle } from './idle-power.ts';
import { NBSP } from './quantity.ts';

test('idle power is told with how long and when it was', () => {
  expect(describeIdle({ baselineW: 3.004, baselineWindow: { fromMs: -15_700, toMs: -3200 } })).toBe(
    `3.00${NBSP}W idle over 12.5 s, which ended 3.2 s before measuring`,
  );
  expect(describeIdle({ baselineW: 3.5, baselineWindow: { fromMs: 11_000, toMs: 20_000 } })).toBe(
    `3.50${NBSP}W idle over 9.0 s, which began 11.0 s after measuring had begun`,
  );
  expect(describeIdle({ baselineW: 2.7 })).toBe(`2.70${NBSP}W idle`);
  expect(describeIdle({ baselineW: null, baselineWindow: null })).toMatch(/not known/);
});

test('gaps are told with the error that they can make', () => {
  expect(describeGaps({ ms: 1500, errorJ: 2.14 })).toBe(
    `, at most 2.14${NBSP}J off for 1.5 s without a sample`,
  );
  expect(describeGaps(null)).toBe('');
});
