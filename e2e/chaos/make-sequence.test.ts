import { expect, test } from 'vitest';
import { describeStep, makeSequence } from './make-sequence.ts';

const all = { disk: true, network: true, faketime: true };
const seeds = Array.from({ length: 300 }, (_, index) => index + 1);

test('one seed gives one sequence, and seeds give all kinds of faults', () => {
  for (const seed of seeds) expect(makeSequence(seed, all)).toEqual(makeSequence(seed, all));
  const kinds = seeds.flatMap((seed) => makeSequence(seed, all).steps.map(({ fault }) => fault.kind));
  expect([...new Set(kinds)].sort()).toEqual([
    'cut',
    'fill-disk',
    'freeze',
    'jump-clock',
    'kill',
    'late-results',
    'refused-result',
    'restart',
  ]);
});

test('what the machine does not allow is left out, and the rest stays as it is', () => {
  for (const seed of seeds) {
    const words = makeSequence(seed, all).steps.map(describeStep);
    const left = makeSequence(seed, { disk: false, network: false, faketime: false }).steps.map(describeStep);
    expect(left.filter((step) => /fill-disk|cut|jump-clock/.test(step))).toEqual([]);
    expect(words.filter((step) => !/fill-disk|cut|jump-clock/.test(step))).toEqual(left);
  }
});
