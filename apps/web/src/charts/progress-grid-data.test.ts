import { describe, expect, it } from 'vitest';
import { groupTrialRows, moveInGrid, type TrialRow, trialName } from './progress-grid-data.ts';

const plain = { index: 1, label: 'Plain', shortLabel: 'Plain' };
const chacha = { index: 4, label: 'TLS 1.3 ChaCha20-Poly1305', shortLabel: 'ChaCha20' };
const row = (over: Partial<TrialRow>): TrialRow => ({
  key: 'a',
  treatment: plain,
  levels: ['16'],
  cells: [{ state: 'running', text: '18 s', detail: '18 of 30 s' }],
  ...over,
});

describe('groupTrialRows', () => {
  it('groups consecutive rows of one identity', () => {
    const groups = groupTrialRows([row({}), row({ key: 'b' }), row({ key: 'c', treatment: chacha })]);
    expect(groups.map((group) => group.rows.length)).toEqual([2, 1]);
  });
});

describe('trialName', () => {
  it('names treatment, levels, repetition, state and detail', () => {
    expect(trialName(row({ treatment: chacha }), ['Batch'], 1)).toBe(
      'TLS 1.3 ChaCha20-Poly1305, Batch 16, repetition 1: running, 18 of 30 s',
    );
  });

  it('names a trial that the plan lacks', () => {
    expect(trialName(row({}), ['Batch'], 9)).toMatch(/repetition 9: not planned$/);
  });
});

describe('moveInGrid', () => {
  const size = { rows: 3, repetitions: 6 };

  it('moves and stays inside', () => {
    expect(moveInGrid('ArrowRight', { row: 0, repetition: 1 }, size)).toEqual({ row: 0, repetition: 2 });
    expect(moveInGrid('End', { row: 2, repetition: 1 }, size)).toEqual({ row: 2, repetition: 6 });
    expect(moveInGrid('ArrowUp', { row: 0, repetition: 1 }, size)).toBeNull();
    expect(moveInGrid('ArrowRight', { row: 0, repetition: 6 }, size)).toBeNull();
    expect(moveInGrid('x', { row: 0, repetition: 1 }, size)).toBeNull();
  });
});
