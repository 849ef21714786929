import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GoldenFormatError } from './golden-file.ts';
import { runGolden } from './run-golden.ts';

const read = (name: string) => readFileSync(new URL(`../../../golden/${name}`, import.meta.url), 'utf8');
const text = read('golden-public.json');
const positive = read('golden-positive.json');

/** One case of the public file with one value changed. */
function withChange(
  section: string,
  [index, ...path]: readonly (string | number)[],
  value: unknown,
): unknown {
  const { schema, data, [section]: cases } = JSON.parse(section === 'positive' ? positive : text);
  const changed: unknown = cases[Number(index)];
  let at = changed;
  for (const key of path.slice(0, -1)) at = Reflect.get(Object(at), key);
  Reflect.set(Object(at), path.at(-1)!, value);
  return { schema, ...(data ? { data } : {}), [section]: [changed] };
}

describe('reference vectors', () => {
  const outcomes = [text, positive].flatMap((file) => runGolden(JSON.parse(file)));
  it('are all there', () => {
    expect(outcomes).toHaveLength(169 + 12);
  });
  it.each(outcomes)('$section $id', ({ mismatches }) => {
    expect(mismatches).toEqual([]);
  });
});

describe('runGolden', () => {
  const e = 'expect';
  it.each([
    ['series', [0, e, 'acf', 3], 0.5, 'acf[3]'],
    ['series', [0, e, 'mean'], 0.0090619, 'mean'],
    ['series', [0, e, 'adf'], null, 'adf'],
    ['series', [0, e, 'optimalBlock', 'm'], 3, 'optimalBlock.m'],
    ['series', [0, e, 'box', 'tukeyOutliers'], 5, 'box.tukeyOutliers'],
    ['series', [0, e, 'newField'], 1, 'newField'],
    ['twoSample', [3, e, 'mannWhitney', 'pExact'], null, 'mannWhitney.pExact'],
    ['twoSample', [0, e, 'welch', 'ci95', 1], 0, 'welch.ci95[1]'],
    ['paired', [0, e, 'wilcoxon', 'wPlus'], 1, 'wilcoxon.wPlus'],
    ['kSample', [0, e, 'friedman'], null, 'friedman'],
    ['multipleTesting', [0, e, 'holm', 0], 0.041, 'holm[0]'],
    ['runMeans', [0, e, 'ci99', 'tCrit'], 4.6, 'ci99.tCrit'],
    ['adaptiveStop', [0, e, 'stopAt'], 8, 'stopAt'],
    ['bootstrap', [0, e, 'exact', 'seDiff'], 0.12, 'exact.seDiff'],
    ['bootstrap', [0, e, 'accept', '2000', 'lo', 0], 39.69, 'accept.2000.lo'],
    ['bootstrap', [0, e, 'accept', 'seRel20000'], 1e-9, 'accept.seRel20000'],
    ['bootstrap', [0, e, 'fixedStarts', 'replicates', 1, 'mean'], 40, 'fixedStarts.replicates[1]'],
    ['bootstrap', [13, e, 'enumeration', 'a', 7], 3.17, 'enumeration.a[7]'],
    ['sp80022', [0, e, 'runs', 'v'], 7, 'runs.v'],
    [
      'sp80022',
      [0, 'specPublished', 'approximateEntropy.m3.p'],
      0.3,
      'specPublished.approximateEntropy.m3.p',
    ],
    ['aggregate', [0, e, 'droppedTail'], 4, 'droppedTail'],
    ['energy', [0, e, 'totalMAh'], 6.9, 'totalMAh'],
    ['battery', [0, e, 'hours'], null, 'hours'],
    ['sensitivity', [0, e, 'grid', 4, 'mAh'], 5, 'grid[4].mAh'],
    ['pareto', [0, e, 'rank', 'c'], 3, 'rank.c'],
    ['hdr', [0, e, 'plain', 'percentiles', '99'], 87550, 'plain.percentiles.99'],
    ['positive', [0, e, 'geometricMeanA'], 1.2, 'geometricMeanA'],
    ['positive', [1, e, 'ciB', 0], 0.1, 'ciB[0]'],
    ['positive', [5, e, 'contrast', 'ci95', 1], 2, 'contrast.ci95[1]'],
    ['positive', [10, e, 'contrast', 'p'], 0.5, 'contrast.p'],
    ['positive', [2, e, 'hedges', 'ci95', 0], 0.1, 'hedges.ci95[0]'],
  ] as const)('sees a wrong expectation in %s %j', (...[section, path, value, field]) => {
    const failed = runGolden(withChange(section, path, value)).filter((o) => o.mismatches.length > 0);
    expect(failed.map((o) => [o.section, o.mismatches.map((m) => m.field)])).toEqual([[section, [field]]]);
  });

  it.each([
    [null, /must be an object/],
    [[], /must be an object/],
    [{}, /schema must be/],
    [{ schema: 'mqttlab-golden/3' }, /schema must be/],
    [{ schema: 'mqttlab-golden/1' }, /data must be an object/],
    [{ schema: 'mqttlab-golden/1', data: {} }, /no cases/],
    [{ schema: 'mqttlab-golden/1', data: {}, novel: [] }, /unknown section "novel"/],
    [{ schema: 'mqttlab-golden/1', data: { x: { values: ['1'] } } }, /data\.x\.values\[0\] must be a number/],
    [{ schema: 'mqttlab-golden/1', data: {}, series: [{}] }, /series\[0\]\.id/],
    [{ schema: 'mqttlab-golden/1', data: {}, series: [{ id: 'a' }] }, /expect must be an object/],
    [{ schema: 'mqttlab-golden/1', data: {}, series: [{ id: 'a', expect: {} }] }, /expect is empty/],
    [
      { schema: 'mqttlab-golden/1', data: {}, series: [{ id: 'a', data: 'q', expect: { n: 1 } }] },
      /no data: q/,
    ],
    [withChange('bootstrap', [0, 'scheme'], 'magic'), /"magic" is none of/],
    [withChange('sp80022', [0, 'bits'], null), /holds no bits/],
    [withChange('pareto', [0, 'points', 0, 'latency'], 'low'), /a\.latency must be a number/],
  ])('refuses a malformed file (%#)', (input, message) => {
    expect(() => runGolden(input)).toThrow(GoldenFormatError);
    expect(() => runGolden(input)).toThrow(message);
  });

  it('counts a case whose computation breaks as failed', () => {
    const broken = runGolden(withChange('battery', [0, 'duty'], 2)).find((o) => o.mismatches.length > 0);
    expect(broken?.mismatches[0]).toMatchObject({
      field: '(computation)',
      got: expect.stringMatching(/RangeError/),
    });
  });
});
