import {
  type BlockSums,
  type BlockType,
  type BootstrapScheme,
  bootstrapDifference,
  makeBlockSums,
  meanFromStarts,
} from '../../statistics/estimates/bootstrap.ts';
import { compareTree, type GoldenMismatch, isWithin, type TreeRules, tolerances } from './compare-tree.ts';
import {
  type GoldenCase,
  GoldenFormatError,
  parseArray,
  parseFields,
  parseNumber,
  parseNumbers,
} from './golden-file.ts';

const SCHEMES: readonly BootstrapScheme[] = [
  'single',
  'concatenated',
  'stratified',
  'hierarchical',
  'runs-only',
];
const TYPES: readonly BlockType[] = ['circular', 'moving'];
// Fixed, so that a pass stays a pass.
const SEED = 20_260_101;

const RULES: TreeRules = {
  tolerance: tolerances([
    [/^exact\./, 1e-8, 1e-7],
    [/./, 1e-9, 1e-9],
  ]),
  // A reference Monte Carlo is judged through its acceptance bands; fixed starts and enumerations below.
  ignored: /^(reference|archCheck|accept|fixedStarts|enumeration)$/,
};

const ENUMERATION: TreeRules = { tolerance: () => ({ abs: 1e-9, rel: 0 }) };

/** Compares closed forms, given block starts, all possible replicates and two Monte-Carlo runs. */
export function checkBootstrap(reference: GoldenCase): GoldenMismatch[] {
  const options = {
    scheme: oneOf(SCHEMES, reference.text('scheme'), reference),
    blockType: oneOf(TYPES, reference.text('blockType'), reference),
    blockLength: reference.number('blockLength'),
    level: 1 - reference.number('alpha'),
    seed: SEED,
  };
  const [a, b] = [reference.seriesList('a'), reference.seriesList('b')];
  const draw = (replicates: number) => bootstrapDifference(a, b, { ...options, replicates });
  const result = draw(2000);
  const { exact } = result;
  const got = {
    pointDiff: result.point,
    exact: {
      meanA: exact.a.mean,
      seA: exact.a.se,
      meanB: exact.b.mean,
      seB: exact.b.se,
      meanDiff: exact.difference.mean,
      seDiff: exact.difference.se,
    },
  };
  const blocks = (run: number[]) => makeBlockSums(run, options.blockLength, options.blockType);
  return [
    ...compareTree(Object.fromEntries(reference.expect), got, RULES),
    ...checkAcceptance(reference, result),
    ...checkAcceptance(reference, draw(20_000)),
    ...checkFixedStarts(reference, blocks(a[0]!)),
    ...checkEnumeration(reference, { a: blocks(a[0]!), b: blocks(b[0]!) }),
  ];
}

function checkAcceptance(
  { expect }: GoldenCase,
  { replicates, percentile, se, exact }: ReturnType<typeof bootstrapDifference>,
): GoldenMismatch[] {
  const accept = parseFields(expect.get('accept'), 'accept');
  const band = parseFields(accept.get(String(replicates)), `accept.${replicates}`);
  const mismatches: GoldenMismatch[] = [];
  for (const end of ['lo', 'hi'] as const) {
    const [from = Number.NaN, to = Number.NaN] = parseNumbers(band.get(end), `accept.${replicates}.${end}`);
    const got = percentile[end];
    if (!(got >= from && got <= to)) {
      mismatches.push({ field: `accept.${replicates}.${end}`, expected: [from, to], got });
    }
  }
  const rel = parseNumber(accept.get(`seRel${replicates}`), `accept.seRel${replicates}`);
  const expected = exact.difference.se;
  if (!isWithin(se, expected, { abs: 1e-9, rel })) {
    mismatches.push({ field: `accept.seRel${replicates}`, expected, got: se });
  }
  return mismatches;
}

function checkFixedStarts({ expect }: GoldenCase, sums: BlockSums): GoldenMismatch[] {
  const fixed = parseFields(expect.get('fixedStarts'), 'fixedStarts');
  return parseArray(fixed.get('replicates'), 'fixedStarts.replicates').flatMap((entry, i) => {
    const field = `fixedStarts.replicates[${i}]`;
    const replicate = parseFields(entry, field);
    const expected = parseNumber(replicate.get('mean'), `${field}.mean`);
    const got = meanFromStarts(sums, parseNumbers(replicate.get('starts'), `${field}.starts`));
    return isWithin(got, expected, { abs: 1e-9, rel: 1e-9 }) ? [] : [{ field, expected, got }];
  });
}

function checkEnumeration({ expect }: GoldenCase, groups: Record<'a' | 'b', BlockSums>): GoldenMismatch[] {
  const enumeration = expect.get('enumeration');
  if (enumeration === undefined) return [];
  const got = { a: allMeans(groups.a), b: allMeans(groups.b) };
  return compareTree({ enumeration }, { enumeration: got }, ENUMERATION);
}

/** Means of every possible choice of block starts, ascending. */
function allMeans(sums: BlockSums): number[] {
  let choices: number[][] = [[]];
  for (let block = 0; block < sums.blocks; block += 1) {
    choices = choices.flatMap((choice) => Array.from(sums.whole, (_, start) => [...choice, start]));
  }
  return choices.map((starts) => meanFromStarts(sums, starts)).sort((x, y) => x - y);
}

function oneOf<T extends string>(allowed: readonly T[], value: string | null, { id }: GoldenCase): T {
  const found = allowed.find((entry) => entry === value);
  if (found === undefined)
    throw new GoldenFormatError(`bootstrap "${id}": "${value}" is none of ${allowed.join(', ')}`);
  return found;
}
