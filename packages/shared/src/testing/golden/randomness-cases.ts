import {
  approximateEntropy,
  frequencyTest,
  parseBits,
  parseHexBits,
  runsTest,
} from '../../statistics/randomness/randomness.ts';
import { compareTree, type GoldenMismatch, isWithin, type TreeRules, tolerances } from './compare-tree.ts';
import { type GoldenCase, GoldenFormatError, parseArray, parseFields, parseNumber } from './golden-file.ts';

const RULES: TreeRules = {
  tolerance: tolerances([
    [/\.chi2$/, 1e-7, 0],
    [/^n$|\.(m|s|v|ones)$/, 0, 0],
    [/./, 1e-9, 0],
  ]),
};

/** SP 800-22 tests against the reference and, where given, against the figures printed in the standard. */
export function checkRandomness(reference: GoldenCase): GoldenMismatch[] {
  const text = reference.text('bits');
  const hex = reference.text('hex');
  if (text === null && hex === null) throw new GoldenFormatError(`sp80022 "${reference.id}" holds no bits`);
  const bits = text === null ? parseHexBits(hex ?? '') : parseBits(text);
  const entropies = parseArray(reference.expect.get('approximateEntropy'), 'approximateEntropy').map(
    (entry) => approximateEntropy(bits, parseNumber(parseFields(entry, 'approximateEntropy').get('m'), 'm')),
  );
  const got = {
    n: bits.length,
    approximateEntropy: entropies,
    frequency: frequencyTest(bits),
    runs: runsTest(bits),
  };
  const printed = new Map<string, number | null | undefined>([
    ['frequency.p', got.frequency?.p],
    ['runs.p', got.runs?.p],
    ...entropies.map((entry) => [`approximateEntropy.m${entry?.m}.p`, entry?.p] as const),
  ]);
  return [
    ...compareTree(Object.fromEntries(reference.expect), got, RULES),
    ...checkPrinted(reference, printed),
  ];
}

function checkPrinted(
  reference: GoldenCase,
  got: ReadonlyMap<string, number | null | undefined>,
): GoldenMismatch[] {
  const published = reference.published;
  if (published === null) return [];
  return [...published].flatMap(([field, value]) => {
    const expected = parseNumber(value, field);
    const mine = got.get(field) ?? Number.NaN;
    const fits = isWithin(mine, expected, { abs: 1e-6, rel: 0 });
    return fits ? [] : [{ field: `specPublished.${field}`, expected, got: mine }];
  });
}
