import { describe, expect, it } from 'vitest';
import { findMetric } from '../catalogue/metrics.ts';
import type { ComparedTreatment } from '../domain/comparison.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { baselineOf, type Contrast, contrastTreatments, estimateTreatments } from './contrasts.ts';
import { parameterRows } from './parameters.ts';
import { contrastSentence } from './sentence.ts';

const choice = { metric: 'latency.p50', flagged: false };
const metric = findMetric('latency.p50');

function makeTreatments(valuesOf: (index: number) => (number | null)[]): ComparedTreatment[] {
  const parsed = parsePlan(makeDraft(), makeTestbed());
  if (!parsed.ok) throw new Error('the tour is a plan');
  return parsed.plan.treatments.map((treatment, index) => ({
    id: `1~${treatment.key}`,
    experimentId: 1,
    treatment,
    runs: valuesOf(index).map((value, block) => ({
      runId: index * 10 + block,
      block: block + 1,
      flagged: false,
      metrics: { 'latency.p50': value },
    })),
    latency: null,
    latencyWithFlagged: null,
  }));
}

function contrastsOf(treatments: ComparedTreatment[]): Contrast[] {
  return contrastTreatments({ treatments, baselineId: treatments[0]?.id ?? '', ...choice });
}

describe('contrastTreatments', () => {
  it('pairs runs of one repetition, against the baseline at the same other levels', () => {
    const treatments = makeTreatments((index) => [1, 1.2, 1.1].map((value) => value * (1 + index)));
    const contrasts = contrastsOf(treatments);
    expect(contrasts).toHaveLength(4);
    for (const { method, difference, lo, hi, treatment, baseline } of contrasts) {
      expect(method).toBe('paired by repetition');
      expect(treatment.treatment.rowLabel).toBe(baseline.treatment.rowLabel);
      expect(lo).toBeLessThanOrEqual(difference ?? Number.NaN);
      expect(hi).toBeGreaterThanOrEqual(difference ?? Number.NaN);
    }
  });

  it('falls back to Welch when a repetition is missing on one side', () => {
    const treatments = makeTreatments((index) => (index === 2 ? [3, 3.1, null] : [1, 1.1, 1.2]));
    expect(contrastsOf(treatments)[0]?.method).toBe('Welch');
  });

  it('adjusts p by Holm over the family: never below the raw value', () => {
    const treatments = makeTreatments((index) => [1 + index, 1.1 + index * 1.1, 1.3 + index]);
    const ps = contrastsOf(treatments).map(({ p }) => p ?? 0);
    const single = contrastsOf(treatments.filter((_, index) => index === 0 || index === 2)).map(
      ({ p }) => p ?? 0,
    );
    expect(ps[0]).toBeGreaterThanOrEqual(single[0] ?? 1);
  });

  it('gives no p below three runs and no interval below two', () => {
    const two = contrastsOf(makeTreatments((index) => [1 + index, 1.2 + index * 1.1]));
    expect(two.every(({ p, lo }) => p === null && lo !== null)).toBe(true);
    const one = contrastsOf(makeTreatments((index) => [1 + index]));
    expect(one.every(({ lo, method }) => lo === null && method === 'not enough runs')).toBe(true);
  });

  it('leaves flagged runs out unless told otherwise', () => {
    const treatments = makeTreatments(() => [1, 2, 3]);
    const first = treatments[0]?.runs[0];
    if (first) first.flagged = true;
    expect(estimateTreatments(treatments, choice)[0]?.interval.n).toBe(2);
    expect(estimateTreatments(treatments, { ...choice, flagged: true })[0]?.interval.n).toBe(3);
  });

  it('knows no baseline for a baseline', () => {
    const treatments = makeTreatments(() => [1]);
    const [plain0, plain1] = treatments;
    if (!plain0 || !plain1) throw new Error('the tour has plain at two QoS');
    expect(baselineOf(plain0, treatments, plain0.id)).toBeNull();
    expect(baselineOf(plain1, treatments, plain0.id)).toBeNull();
  });
});

describe('contrastSentence', () => {
  const sentenceOf = (contrast: Contrast | undefined) => {
    if (!contrast || !metric) throw new Error('there is a contrast and a metric');
    return contrastSentence(contrast, metric).replaceAll('\u00a0', ' ');
  };

  it('says a resolved difference with its interval', () => {
    const resolved = contrastsOf(makeTreatments((index) => [1, 1.01, 1.02].map((v) => v * (1 + index))));
    expect(sentenceOf(resolved[0])).toMatch(
      /latency, median is 2\.\d+ ms \[.+\] higher than with Plain QoS 0/,
    );
  });

  it('is never stronger than the interval', () => {
    const noisy = contrastsOf(makeTreatments((index) => (index === 2 ? [1, 3, 2] : [2, 1, 3.1])));
    expect(sentenceOf(noisy[0])).toContain('no difference in latency, median was resolved');
    const same = contrastsOf(makeTreatments(() => [0, 0, 0]));
    expect(sentenceOf(same[0])).toContain('was the same in every run');
    const single = contrastsOf(makeTreatments(() => [1]));
    expect(sentenceOf(single[0])).toContain('too few valid runs');
  });
});

describe('parameterRows', () => {
  it('marks what differs, and shows a dash where a factor does not apply', () => {
    const rows = parameterRows(makeTreatments(() => [1]));
    expect(rows.filter((row) => row.differs).map((row) => row.id)).toEqual(
      expect.arrayContaining(['security', 'cipherSuite', 'qos', 'confidentiality']),
    );
    expect(rows.find((row) => row.id === 'cipherSuite')?.values[0]).toBe('–');
    expect(rows.find((row) => row.id === 'measureMs')).toMatchObject({ differs: false });
  });
});

describe('figures of different bases', () => {
  /** Energy of every run, from a source of this quality. */
  const withEnergy = (qualityOf: (index: number, block: number) => string | null): ComparedTreatment[] =>
    makeTreatments((index) => [1 + index, 1.1 + index, 1.3 + index]).map((treatment, index) => ({
      ...treatment,
      runs: treatment.runs.map((run) => {
        const energy = qualityOf(index, run.block);
        const metrics = { ...run.metrics, 'energy.total': run.metrics['latency.p50'] ?? null };
        return { ...run, metrics, bases: energy === null ? {} : { energy } };
      }),
    }));
  const question = (treatments: ComparedTreatment[], name: string) => ({
    treatments,
    baselineId: treatments[0]?.id ?? '',
    metric: name,
    flagged: false,
  });

  it('are not compared, and the sentence says so; figures of one basis are', () => {
    const mixed = withEnergy((index) => (index === 0 ? 'measured' : 'modelled'));
    const refused = contrastTreatments(question(mixed, 'energy.total')).filter(
      ({ baseline }) => baseline.id === mixed[0]?.id,
    );
    expect(refused.length).toBeGreaterThan(0);
    const energy = findMetric('energy.total');
    for (const contrast of refused) {
      expect(contrast).toMatchObject({
        difference: null,
        p: null,
        method: 'not comparable',
        bases: ['measured', 'modelled'],
      });
      expect(energy && contrastSentence(contrast, energy)).toContain('measured, modelled');
    }
    for (const name of ['latency.p50', 'energy.total']) {
      const treatments = name === 'latency.p50' ? mixed : withEnergy(() => 'modelled');
      for (const { difference } of contrastTreatments(question(treatments, name))) {
        expect(difference).not.toBeNull();
      }
    }
  });

  it('have no mean of a Treatment either, also when some do not tell theirs', () => {
    const mixed = withEnergy((_index, block) => (block === 1 ? null : 'measured'));
    const [estimate] = estimateTreatments(mixed, { metric: 'energy.total', flagged: false });
    expect(estimate?.values).toHaveLength(3);
    expect(estimate?.interval.mean).toBeNull();
  });
});
