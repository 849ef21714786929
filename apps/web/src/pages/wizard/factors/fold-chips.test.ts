import { describe, expect, it } from 'vitest';
import { foldChips } from './fold-chips.ts';
import type { LevelChip } from './level-choice.ts';

const chip = (value: string, change: Partial<LevelChip> = {}): LevelChip => ({
  value,
  label: value,
  isMono: false,
  isChosen: false,
  refusal: null,
  section: null,
  caution: null,
  ...change,
});
const refusal = { reason: 'no', remedy: '' };
const many = Array.from({ length: 20 }, (_, i) =>
  chip(`s${i}`, { isChosen: i === 12, refusal: i < 5 ? refusal : null }),
);

describe('foldChips', () => {
  it('keeps short lists whole, the impossible last', () => {
    const { shown, folded } = foldChips([chip('a', { refusal }), chip('b')], false);
    expect(shown.map(({ label }) => label)).toEqual(['b', 'a']);
    expect(folded).toBe(0);
  });

  it('never folds away what is chosen', () => {
    const { shown, folded } = foldChips(many, false);
    expect(shown.map(({ label }) => label)).toEqual(['s5', 's6', 's7', 's12', 's0', 's1']);
    expect(folded).toBe(14);
  });

  it('folds a wall of chosen ones too, but never one that has to be taken out', () => {
    const all = many.map((one) => ({ ...one, isChosen: true }));
    const { shown } = foldChips(all, false);
    expect(shown.filter((one) => !one.refusal).length).toBe(8);
    expect(shown.filter((one) => one.refusal).length).toBe(5);
  });

  it('unfolds to everything', () => {
    expect(foldChips(many, true).shown.length).toBe(20);
  });
});
