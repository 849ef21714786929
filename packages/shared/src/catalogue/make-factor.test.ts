import { expect, it } from 'vitest';
import { neutralSpec } from '../domain/plans/trial-spec.ts';
import { keepAlive } from './factors/keep-alive.ts';

it('writes a level into the options and reads it there', () => {
  const spec = keepAlive.apply(neutralSpec, 10);
  expect(spec.options).toEqual({ keepAlive: 10 });
  expect(keepAlive.of(spec)).toBe(10);
});

it('is neutral where it does not apply, in specifications of before and in broken ones', () => {
  expect(keepAlive.apply(neutralSpec, null)).toBe(neutralSpec);
  expect(keepAlive.of({ options: {} })).toBe(0);
  expect(keepAlive.of({ options: { keepAlive: 'often' } })).toBe(0);
});
