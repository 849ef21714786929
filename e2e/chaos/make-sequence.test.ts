import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeStep, makeSequence } from './make-sequence.ts';

const all = { disk: true, network: true, faketime: true, capture: true };
const none = { disk: false, network: false, faketime: false, capture: false };
const needy = /fill-disk|cut|half-closed|jump-clock|unremovable-folder|withheld-capture/;
const seeds = Array.from({ length: 300 }, (_, index) => index + 1);

const everyKind = [
  'cut',
  'damaged-row',
  'fill-disk',
  'freeze',
  'half-closed',
  'jump-clock',
  'kill',
  'late-results',
  'refused-result',
  'restart',
  'unremovable-folder',
  'withheld-capture, error',
  'withheld-capture, silence',
];

function kindsOf(fromSeeds: readonly number[]): string[] {
  const faults = fromSeeds.flatMap((seed) => makeSequence(seed, all).steps.map(({ fault }) => fault));
  const kinds = faults.map((fault) => ('how' in fault ? `${fault.kind}, ${fault.how}` : fault.kind));
  return [...new Set(kinds)].sort();
}

test('a seed gives one sequence, and different seeds give all kinds of faults', () => {
  for (const seed of seeds) expect(makeSequence(seed, all)).toEqual(makeSequence(seed, all));
  expect(kindsOf(seeds)).toEqual(everyKind);
});

test('the sequences of test:full contain every kind of fault', () => {
  const script = readFileSync(new URL('../../scripts/test-full.mjs', import.meta.url), 'utf8');
  const [, seed, sequences] = /'--seed', '(\d+)', '--sequences', '(\d+)'/.exec(script) ?? [];
  expect(kindsOf(Array.from({ length: Number(sequences) }, (_, index) => Number(seed) + index))).toEqual(
    everyKind,
  );
});

test('faults that the machine does not support are omitted, and the rest is unchanged', () => {
  for (const seed of seeds) {
    const words = makeSequence(seed, all).steps.map(describeStep);
    const left = makeSequence(seed, none).steps.map(describeStep);
    expect(left.filter((step) => needy.test(step))).toEqual([]);
    expect(words.filter((step) => !needy.test(step))).toEqual(left);
  }
});

test('a sequence that withholds a capture has one', () => {
  for (const { steps, draft } of seeds.map((seed) => makeSequence(seed, all))) {
    const withholds = steps.some(({ fault }) => fault.kind === 'withheld-capture');
    expect(draft.factors.capture).toEqual(withholds ? ['headers'] : undefined);
  }
});
