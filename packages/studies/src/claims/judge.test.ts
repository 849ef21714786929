import {
  type Claim,
  contrast,
  count,
  every,
  lines,
  notTestable,
  some,
  type Test,
  within,
} from '@mqttlab/shared/analysis/claims/claim';
import { judgeClaims } from '@mqttlab/shared/analysis/claims/judge';
import { sampleLine } from '@mqttlab/shared/analysis/claims/lines';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { describe, expect, it } from 'vitest';
import { makeStudyInput } from '../testing/study-input.ts';

type Metrics = Record<string, number | null>;
type Levels = ComparedTreatment['treatment']['levels'];

const wobble = [0.98, 1, 1.03];

/** Runs of v2x-tls a with given CPU ratios of TLS to plain and of batched to single messages. */
function evidence(factors: { tls?: number; batch?: number; noise?: number }, runs = 3) {
  const { tls = 1, batch = 1, noise = 0 } = factors;
  const metricsOf = ({ levels }: { levels: Levels }, block: number): Metrics => {
    const isTls = levels.security !== 'plain';
    const size = Number(levels.readingsPerMessage) > 1 ? batch : 1;
    const odd = 1 + noise * Math.sin(block * 7 + Number(levels.readingsPerMessage) + (isTls ? 3 : 0));
    return {
      'cpu.broker':
        10 * (isTls ? tls : 1) * size * (wobble[block - 1] ?? 1) * odd * (isTls ? 1 + block / 1e4 : 1),
      'wire.perMessage': 100 * (isTls ? tls : 1),
      'count.lost': 0,
    };
  };
  const input = makeStudyInput({ studyId: 'v2x-tls', partId: 'a' }, metricsOf);
  const treatments = input.treatments.map((one) => ({ ...one, runs: one.runs.slice(0, runs) }));
  return { ...input, treatments };
}

function claim(test: Test, id = 'X1'): Claim {
  return { id, part: 'a', line: 1, printed: [], says: 'something', test, see: [] };
}

const tlsOverPlain = {
  measures: ['cpu.broker'],
  of: { security: 'TLS 1.3' },
  against: { security: 'plain' },
  who: 'TLS over plain',
} as const;
const more = contrast({ ...tlsOverPlain, expect: 'higher' });
const batchedLess = contrast({
  measures: ['cpu.broker'],
  of: ({ readingsPerMessage }) => Number(readingsPerMessage) > 1,
  against: { readingsPerMessage: 1 },
  across: ['readingsPerMessage'],
  who: 'batched over single',
  expect: 'lower',
});

const one = (test: Test, of: ReturnType<typeof evidence>) => {
  const [result] = judgeClaims([claim(test)], of);
  if (!result) throw new Error('no answer');
  return result;
};

describe('a claim by one contrast', () => {
  it.each([
    [1.5, 'agrees', 'claimed'],
    [0.6, 'differs', 'other'],
  ] as const)('with TLS at %s times the CPU %s', (tls, answer, side) => {
    const result = one(more, evidence({ tls }));
    expect(result.answer).toBe(answer);
    expect(result.lines.map((line) => line.side)).toEqual([side]);
    // The sentence has the figure of the line.
    expect(result.sentence).toContain(result.lines[0]?.figure ?? '?');
    expect(result.missing).toBeNull();
  });

  it('is open if the interval holds equality', () => {
    const result = one(more, evidence({ noise: 0.5 }));
    expect(result.answer).toBe('open');
    expect(result.missing).toBeNull();
    const [line] = result.lines;
    expect(line?.lo).toBeLessThan(1);
    expect(line?.hi).toBeGreaterThan(1);
  });

  it('is not answered with two runs per side, and reports missing runs', () => {
    const result = one(more, evidence({ tls: 5 }, 2));
    expect(result).toMatchObject({ answer: 'open', lines: [{ side: 'missing', runs: 2 }] });
    expect(result.missing).toMatch(/2 valid runs on the smaller side, but at least 3/);
  });

  it('counts flagged runs only on request', () => {
    const own = evidence({ tls: 1.5 });
    const flagged = {
      ...own,
      treatments: own.treatments.map((entry) => ({
        ...entry,
        runs: entry.runs.map((run) => ({ ...run, flagged: true, failed: ['device-idle'] })),
      })),
    };
    expect(one(more, flagged)).toMatchObject({ answer: 'open' });
    expect(one(more, flagged).missing).toContain('flagged runs are excluded');
    expect(one(more, { ...flagged, flagged: true }).answer).toBe('agrees');
  });

  it('requires an effect size if the claim names one', () => {
    const least = contrast({ ...tlsOverPlain, expect: { atLeast: 1.05 } });
    expect(one(least, evidence({ tls: 1.01 })).answer).toBe('differs');
    expect(one(least, evidence({ tls: 1.2 })).answer).toBe('agrees');
  });

  it('of equality is answered by the interval that it states', () => {
    const equal = contrast({ ...tlsOverPlain, expect: within(0.05) });
    expect(one(equal, evidence({ tls: 1.01 })).answer).toBe('agrees');
    expect(one(equal, evidence({ tls: 1.4 })).answer).toBe('differs');
    expect(one(equal, evidence({ noise: 0.5 })).answer).toBe('open');
  });

  it('of exact values needs no interval', () => {
    const bytes = contrast({ ...tlsOverPlain, measures: ['wire.perMessage'], expect: 'higher' });
    expect(one(bytes, evidence({ tls: 1.5 }))).toMatchObject({
      answer: 'agrees',
      lines: [{ lo: null, hi: null }],
    });
    expect(one(bytes, evidence({ tls: 1 })).answer).toBe('differs');
  });
});

describe('claims by several comparisons', () => {
  it('that must all hold are refuted by one', () => {
    const both = every(more, batchedLess);
    expect(one(both, evidence({ tls: 1.5, batch: 0.5 })).answer).toBe('agrees');
    expect(one(both, evidence({ tls: 1.5, batch: 2 })).answer).toBe('differs');
    expect(one(both, evidence({ tls: 1.5, noise: 0.5 })).answer).toBe('open');
  });

  it('of which one is enough are refuted only by all', () => {
    const either = some(more, batchedLess);
    expect(one(either, evidence({ tls: 1.5, batch: 2 })).answer).toBe('agrees');
    expect(one(either, evidence({ tls: 0.5, batch: 2 })).answer).toBe('differs');
    expect(one(either, evidence({ noise: 0.5 })).answer).toBe('open');
  });

  it('of which one is enough need a clearer difference than that one alone', () => {
    const ratios = Array.from({ length: 100 }, (_, index) => 1 + index / 100);
    const leastFor = (test: Test) =>
      ratios.find((tls) => one(test, evidence({ tls, noise: 0.04 })).answer === 'agrees') ?? 0;
    expect(leastFor(more)).toBeGreaterThan(1);
    expect(leastFor(some(more, batchedLess))).toBeGreaterThan(leastFor(more));
  });

  it('share the level of their part: a claim that is resolved alone stays open among many', () => {
    const own = evidence({ tls: 1.3, noise: 0.04 });
    const alone = one(more, own);
    expect(alone.answer).toBe('agrees');
    const unclear = Array.from({ length: 40 }, (_, index) => claim(batchedLess, `X${index + 2}`));
    const [first] = judgeClaims([claim(more), ...unclear], own);
    expect(first?.answer).toBe('open');
    expect((first?.lines[0]?.lo ?? 2) <= (alone.lines[0]?.lo ?? 0)).toBe(true);
  });

  it('state the interval behind the answer', () => {
    for (const tls of [0.5, 0.9, 1, 1.1, 2]) {
      for (const noise of [0, 0.02, 0.1, 0.4]) {
        for (const result of judgeClaims(
          [claim(more, 'X1'), claim(batchedLess, 'X2')],
          evidence({ tls, noise }),
        )) {
          const side = { agrees: 'claimed', differs: 'other', open: 'undecided' }[String(result.answer)];
          expect(result.lines.map((line) => line.side)).toEqual([side]);
        }
      }
    }
  });
});

describe('other claims', () => {
  it('by counts need three runs in total, and every one of them', () => {
    const runsWith = (right: number, of: number) =>
      one(
        count(() => [{ label: 'runs', right, of }]),
        evidence({}),
      );
    expect(runsWith(3, 3)).toMatchObject({ answer: 'agrees', sentence: 'Runs: 3 of 3.' });
    expect(runsWith(2, 3).answer).toBe('differs');
    expect(runsWith(2, 2)).toMatchObject({
      answer: 'open',
      missing: '2 runs in total, but at least 3 are needed',
    });
    expect(
      one(
        count(() => ({ reason: 'no capture' })),
        evidence({}),
      ),
    ).toMatchObject({ answer: 'not testable', sentence: 'No capture.' });
  });

  it('by values of runs have their interval', () => {
    const expected = { between: [0, 5] } as const;
    const of = (values: readonly number[]) =>
      one(
        lines(() => [sampleLine(values, { label: 'variation', unit: '%', expect: expected })]),
        evidence({}),
      );
    expect(of([1, 1.1, 0.9]).answer).toBe('agrees');
    expect(of([21, 21.1, 20.9]).answer).toBe('differs');
    expect(of([1, 6, 11]).answer).toBe('open');
    expect(of([1, 1.1]).missing).toContain('2 valid runs');
  });

  it('state why they cannot be tested here', () => {
    expect(one(notTestable('no list of brokers'), evidence({})).answer).toBe('not testable');
    const needs = { ...claim(more), needs: () => 'the testbed has no wireless link' };
    const [result] = judgeClaims([needs], evidence({ tls: 2 }));
    expect(result).toMatchObject({ answer: 'not testable', sentence: 'The testbed has no wireless link.' });
  });
});
