import { makeDraft } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { mergeChecks, probedPart, summarisePreflight, worstFirst } from './preflight.ts';

const check = (id: string, status: 'passed' | 'failed' | 'warning' | 'not applicable') => ({
  id,
  device: 'broker',
  label: id,
  status,
  evidence: '',
  remedy: null,
});

const checks = [
  check('a', 'passed'),
  check('b', 'not applicable'),
  check('c', 'warning'),
  check('d', 'failed'),
];

describe('pre-flight', () => {
  it('shows failures and warnings first', () => {
    expect(worstFirst(checks).map(({ id }) => id)).toEqual(['d', 'c', 'a', 'b']);
  });

  it.each([
    [checks, { kind: 'failed', words: '1 of 4 failed' }],
    [checks.slice(0, 3), { kind: 'warning', words: '1 passed, 1 to review' }],
    [checks.slice(0, 2), { kind: 'passed', words: '1 passed' }],
  ])('sums up', (some, summary) => {
    expect(summarisePreflight(some)).toEqual(summary);
  });

  it('merges equal findings of several devices into one row', () => {
    const on = (device: string, evidence: string) => ({ ...check('clock', 'passed'), device, evidence });
    const rows = mergeChecks([on('a', 'one clock'), on('b', 'one clock'), on('c', '2 ms ahead')]);
    expect(rows.map(({ devices, evidence }) => [devices, evidence])).toEqual([
      [['a', 'b'], 'one clock'],
      [['c'], '2 ms ahead'],
    ]);
  });

  it('is out of date when a factor changes, not when the name does', () => {
    const draft = makeDraft();
    expect(probedPart({ ...draft, name: 'other', seed: 3 })).toBe(probedPart(draft));
    expect(probedPart({ ...draft, factors: { qos: [2] } })).not.toBe(probedPart(draft));
  });
});
