import { describe, expect, it } from 'vitest';
import type { LevelChip } from './level-choice.ts';
import { chooseInSection, quickPicksOf, sectionsOf } from './level-sections.ts';

const chip = (value: string, change: Partial<LevelChip> = {}): LevelChip => ({
  value,
  label: value,
  isMono: true,
  isChosen: false,
  refusal: null,
  section: 'TLS 1.2',
  caution: null,
  ...change,
});
const chips = [
  chip('new', { section: 'TLS 1.3', isChosen: true }),
  chip('good'),
  chip('fine'),
  chip('old', { caution: 'It is old.' }),
  chip('gone', { refusal: { reason: 'no', remedy: '' } }),
];
const section = (name: string) => {
  const found = sectionsOf(chips)?.find((one) => one.name === name);
  if (!found) throw new Error(`no section ${name}`);
  return found;
};

describe('sectionsOf', () => {
  it('leaves factors without sections alone', () => {
    expect(sectionsOf([chip('a', { section: null })])).toBeNull();
  });

  it('tells what can be chosen and what should not', () => {
    expect(section('TLS 1.2')).toMatchObject({
      chosen: 0,
      possible: ['good', 'fine', 'old'],
      sound: ['good', 'fine'],
    });
  });
});

describe('chooseInSection', () => {
  it('leaves other sections as they are', () => {
    expect(chooseInSection(chips, section('TLS 1.2'), ['good', 'old'])).toEqual(['new', 'good', 'old']);
  });

  it('does not take out the last level', () => {
    expect(chooseInSection(chips, section('TLS 1.3'), [])).toBeNull();
  });
});

describe('quickPicksOf', () => {
  it('offers all, all without the insecure ones, and none where something is chosen', () => {
    expect(quickPicksOf(section('TLS 1.2')).map(({ label }) => label)).toEqual([
      'all 3',
      '2 without insecure ones',
    ]);
    const chosen = sectionsOf(chips.map((one) => ({ ...one, isChosen: true })))?.[1];
    expect(chosen && quickPicksOf(chosen).at(-1)?.label).toBe('none');
    expect(quickPicksOf(section('TLS 1.3'))).toEqual([]);
  });
});
