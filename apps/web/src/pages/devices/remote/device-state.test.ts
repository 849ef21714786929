import { expect, it } from 'vitest';
import { reasonWords, stateNow } from './device-state.ts';

it('is offline as soon as reported, otherwise the known state', () => {
  expect(stateNow(false, { state: 'busy' })).toBe('offline');
  expect(stateNow(true, { state: 'degraded' })).toBe('degraded');
  expect(stateNow(true, { state: 'offline' })).toBe('online');
  expect(stateNow(true, undefined)).toBe('online');
});

it('gives reasons in one sentence', () => {
  expect(reasonWords([])).toBe('');
  expect(reasonWords(['its disk is nearly full (90 MB free)', 'its clock is 5 s behind'])).toBe(
    'Its disk is nearly full (90 MB free); its clock is 5 s behind.',
  );
});
