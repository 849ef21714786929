import { describe, expect, it } from 'vitest';
import { findMetric } from '../catalogue/metrics.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import {
  compareByHand,
  experimentShapes,
  holmByHand,
  makeShapeTreatments,
  pairName,
  sidesOf,
} from '../testing/experiment-shapes.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import {
  baselineOf,
  type Contrast,
  contrastTreatments,
  countPlannedContrasts,
  estimateTreatments,
  holmNote,
} from './contrasts.ts';
import { contrastSentence } from './findings.ts';
import { parameterRows } from './parameters.ts';

const metric = metricOf('latency.p50');
const choice = { metric, flagged: false };

function metricOf(id: string): MetricDefinition {
  const found = findMetric(id);
  if (!found) throw new Error(`there is no metric ${id}`);
  return found;
}

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
  it('pairs runs of one repetition, against the baseline at equal levels of the other factors', () => {
    const treatments = makeTreatments((index) =>
      [1, 1.2, 1.11].map((value, run) => value * (1 + index) + run / 99),
    );
    const contrasts = contrastsOf(treatments);
    expect(contrasts).toHaveLength(4);
    for (const { method, scale, value, lo, hi, treatment, baseline } of contrasts) {
      expect([method, scale]).toEqual(['paired by repetition', 'ratio']);
      expect(treatment.treatment.rowLabel).toBe(baseline.treatment.rowLabel);
      expect(lo).toBeLessThan(value ?? Number.NaN);
      expect(hi).toBeGreaterThan(value ?? Number.NaN);
    }
  });

  it('are as many as were planned: with two factors, each treatment has the baseline of its row', () => {
    const parsed = parsePlan(makeDraft(), makeTestbed());
    if (!parsed.ok) throw new Error('the tour is a plan');
    expect(parsed.plan.treatments).toHaveLength(6);
    expect(countPlannedContrasts(parsed.plan)).toBe(4);
    expect(contrastsOf(makeTreatments(() => [1, 1.2, 1.1]))).toHaveLength(4);
  });

  it('stays paired over the repetitions that both sides have', () => {
    const base = [1, 1.9, 4.2, 7.7];
    const withAll = makeTreatments((index) => (index === 2 ? base.map((v, i) => v * (1.1 + i / 100)) : base));
    const withGap = makeTreatments((index) =>
      index === 2 ? base.map((v, i) => (i === 1 ? null : v * (1.1 + i / 100))) : base,
    );
    expect(contrastsOf(withAll)[0]).toMatchObject({ method: 'paired by repetition', runs: 4, unpaired: 0 });
    const gap = contrastsOf(withGap)[0];
    expect(gap).toMatchObject({ method: 'paired by repetition', runs: 3, unpaired: 1, outcome: 'resolved' });
    expect(gap?.value).toBeCloseTo((1.1 * 1.12 * 1.13) ** (1 / 3), 9);
  });

  it('never pools over rows or repetitions where fewer than three have both', () => {
    const treatments = makeTreatments((index) => (index === 2 ? [null, 3.1, 2.9] : [1, null, 1.2]));
    expect(contrastsOf(treatments)[0]).toMatchObject({ runs: 1, lo: null, p: null, outcome: 'few' });
  });

  it('takes Welch on the logarithms between experiments', () => {
    const other = makeTreatments(() => [2, 2.3, 2.1]).map((entry) => ({ ...entry, experimentId: 2 }));
    const [mine] = makeTreatments(() => [1, 1.1, 1.3]);
    const [theirs] = other;
    if (!mine || !theirs) throw new Error('there are two');
    const pairs = [[theirs, mine]] as const;
    const [found] = contrastTreatments({ treatments: [mine, theirs], baselineId: '', pairs, ...choice });
    expect(found).toMatchObject({ method: 'Welch', scale: 'ratio', outcome: 'resolved' });
  });

  it('is exact where nothing varies: a ratio without interval or p', () => {
    const bytes = metricOf('wire.perMessage');
    const treatments = makeTreatments(() => [1, 1, 1]).map((entry, index) => ({
      ...entry,
      runs: entry.runs.map((run) => ({ ...run, metrics: { 'wire.perMessage': index < 2 ? 100 : 266 } })),
    }));
    const question = { treatments, baselineId: treatments[0]?.id ?? '', metric: bytes, flagged: false };
    const [found] = contrastTreatments(question);
    expect(found).toMatchObject({ outcome: 'exact', lo: null, hi: null, p: null, inUnits: 166 });
    expect(found?.value).toBeCloseTo(2.66, 12);
    expect(found && contrastSentence(found, bytes)).toMatch(
      /166.% more wire bytes per message than .*, the same in every repetition/,
    );
    expect(contrastsOf(makeTreatments(() => [2, 2, 2]))[0]?.outcome).toBe('same');
  });

  it('claims nothing from values that differ by one step of the instrument', () => {
    // Medians in whole microseconds: .113 against .112 ms, and the like at other bases.
    const twice = makeTreatments((index) => (index < 2 ? [0.112, 0.112] : [0.113, 0.113]));
    expect(contrastsOf(twice)[0]).toMatchObject({ outcome: 'few', lo: null, p: null });
    const bases = [0.112, 0.113, 0.114, 0.115, 0.112];
    const steps = makeTreatments((index) => bases.map((base) => (index < 2 ? base : base + 0.001)));
    for (const found of contrastsOf(steps)) {
      expect(found.outcome).toBe('open');
      expect(found.p).toBeGreaterThan(0.05 / 4);
    }
    const lost = metricOf('count.lost');
    const counts = makeTreatments(() => [1, 1, 1]).map((entry, index) => ({
      ...entry,
      runs: entry.runs.map((run) => ({ ...run, metrics: { 'count.lost': index < 2 ? 0 : 1 } })),
    }));
    const question = { treatments: counts, baselineId: counts[0]?.id ?? '', metric: lost, flagged: false };
    for (const { outcome } of contrastTreatments(question)) expect(outcome).toBe('open');
  });

  it('takes Welch if too few repetitions have both sides although each side has three runs', () => {
    const treatments = makeTreatments((index) =>
      index === 2
        ? [null, null, null, null, 3, 3.3, 3.1, 2.9, 3.2]
        : [1, 1.1, 1.3, 0.9, 1.2, null, null, null, null],
    );
    expect(contrastsOf(treatments)[0]).toMatchObject({ method: 'Welch', runs: 5, outcome: 'resolved' });
  });

  it('adjusts p with Holm’s method over the family: never below the raw value', () => {
    const treatments = makeTreatments((index) => [1 + index, 1.1 + index * 1.1, 1.3 + index]);
    const ps = contrastsOf(treatments).map(({ p }) => p ?? 0);
    const single = contrastsOf(treatments.filter((_, index) => index === 0 || index === 2)).map(
      ({ p }) => p ?? 0,
    );
    expect(ps[0]).toBeGreaterThanOrEqual(single[0] ?? 1);
  });

  it('gives neither interval nor p below three runs', () => {
    for (const values of [[1], [1, 1.2]]) {
      const few = contrastsOf(makeTreatments((index) => values.map((v, i) => v + index * (1 + i / 10))));
      expect(few.every(({ p, lo, outcome }) => p === null && lo === null && outcome === 'few')).toBe(true);
    }
  });

  it('leaves flagged runs out unless told otherwise', () => {
    const treatments = makeTreatments(() => [1, 2, 3]);
    const first = treatments[0]?.runs[0];
    if (first) first.flagged = true;
    expect(estimateTreatments(treatments, choice)[0]?.estimate.n).toBe(2);
    expect(estimateTreatments(treatments, { ...choice, flagged: true })[0]?.estimate.n).toBe(3);
  });

  it('leaves contrasts that were not tested out of the family', () => {
    const treatments = makeTreatments((index) =>
      index === 3 ? [1] : [1 + index, 1.1 + index * 1.1, 1.3 + index],
    );
    const contrasts = contrastsOf(treatments);
    expect(contrasts).toHaveLength(4);
    expect(contrasts.filter(({ p }) => p !== null)).toHaveLength(3);
    expect(holmNote(contrasts).replaceAll('\u00a0', ' ')).toBe('Holm-adjusted p over 3 tested contrasts');
    expect(holmNote([{ p: null }])).toBe('no contrast was tested');
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
    if (!contrast) throw new Error('there is a contrast');
    return contrastSentence(contrast, metric).replaceAll('\u00a0', ' ');
  };

  it('says a resolved difference with its interval', () => {
    const resolved = contrastsOf(
      makeTreatments((index) =>
        [1, 1.01, 1.02].map((v, i) => v * (1 + index / 10) * (1 + (index * i) / 999)),
      ),
    );
    expect(sentenceOf(resolved[0])).toMatch(
      /has a 20\.\d+ % \[.+\] higher median latency than Plain · QoS 0\./,
    );
  });

  it('is never stronger than the interval', () => {
    const noisy = contrastsOf(makeTreatments((index) => (index === 2 ? [1, 3, 2] : [2, 1, 3.1])));
    expect(sentenceOf(noisy[0])).toMatch(/^No clear difference in median latency between \S.* and \S.* \(/);
    const same = contrastsOf(makeTreatments(() => [3, 3, 3]));
    expect(sentenceOf(same[0])).toContain('every run of both treatments gave the same value');
    const single = contrastsOf(makeTreatments((index) => [1 + index]));
    expect(sentenceOf(single[0])).toContain('only one repetition has a valid value for both treatments');
  });

  it('is never stronger than the Holm-adjusted result', () => {
    // Leaves equality out by itself, not in a family of four.
    const treatments = makeTreatments((index) =>
      index === 2 ? [1.05, 1.25, 1.29, 1.15] : [1, 1.1, 1.2, 1.1].map((v, i) => v + (index * i) / 50),
    );
    const found = contrastsOf(treatments)[0];
    expect(found?.lo).toBeGreaterThan(1);
    expect(found?.p).toBeGreaterThan(0.05);
    expect(found?.outcome).toBe('leaning');
    expect(sentenceOf(found)).toMatch(
      /no clear difference: .* is not significant in this family of contrasts \(Holm-adjusted p = 0\.\d+\)/,
    );
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
    metric: metricOf(name),
    flagged: false,
  });

  it('are not compared, which the sentence states; values with the same basis are', () => {
    const mixed = withEnergy((index) => (index === 0 ? 'measured' : 'modelled'));
    const refused = contrastTreatments(question(mixed, 'energy.total')).filter(
      ({ baseline }) => baseline.id === mixed[0]?.id,
    );
    expect(refused.length).toBeGreaterThan(0);
    const energy = metricOf('energy.total');
    for (const contrast of refused) {
      expect(contrast).toMatchObject({
        value: null,
        p: null,
        outcome: 'not comparable',
        bases: ['measured', 'modelled'],
      });
      expect(contrastSentence(contrast, energy)).toContain('measured and modelled');
    }
    for (const name of ['latency.p50', 'energy.total']) {
      const treatments = name === 'latency.p50' ? mixed : withEnergy(() => 'modelled');
      for (const { value } of contrastTreatments(question(treatments, name))) {
        expect(value).not.toBeNull();
      }
    }
  });

  it('have no mean of a Treatment either, also when some do not tell theirs', () => {
    const mixed = withEnergy((_index, block) => (block === 1 ? null : 'measured'));
    const [estimate] = estimateTreatments(mixed, { metric: metricOf('energy.total'), flagged: false });
    expect(estimate?.values).toHaveLength(3);
    expect(estimate?.estimate.value).toBeNull();
  });
});

describe('between experiments', () => {
  const treatmentsOf = (name: string): ComparedTreatment[] => {
    const shape = experimentShapes.find((one) => one.name === name);
    if (!shape) throw new Error(`there is no shape ${name}`);
    return makeShapeTreatments(shape);
  };

  it.each(experimentShapes)('$name', (shape) => {
    const treatments = makeShapeTreatments(shape);
    const contrasts = contrastsOf(treatments);
    expect(contrasts.map(pairName)).toEqual(shape.pairs);
    const expected = shape.pairs.map((pair) => {
      const sides = sidesOf(pair, treatments);
      const [a, b] = sides.map(({ runs }) => runs.map(({ metrics }) => metrics['latency.p50'] ?? Number.NaN));
      return compareByHand(a ?? [], b ?? [], sides[0].experimentId === sides[1].experimentId);
    });
    const adjusted = holmByHand(expected.map(({ p }) => p));
    for (const [index, { ratio, lo, hi, p }] of expected.entries()) {
      const found = contrasts[index];
      expect(found?.value).toBeCloseTo(ratio, 9);
      expect(found?.lo).toBeCloseTo(lo, 6);
      expect(found?.hi).toBeCloseTo(hi, 6);
      expect(found?.pAlone).toBeCloseTo(p, 6);
      expect(found?.p).toBeCloseTo(adjusted[index] ?? Number.NaN, 6);
    }
  });

  it('compares no treatment with itself, whatever is chosen as baseline', () => {
    for (const shape of experimentShapes) {
      const treatments = makeShapeTreatments(shape);
      for (const { id } of treatments) {
        const contrasts = contrastTreatments({ treatments, baselineId: id, ...choice });
        for (const { treatment, baseline } of contrasts) expect(treatment.id).not.toBe(baseline.id);
      }
    }
  });

  it('states the ratio, p and both experiments of the same treatment', () => {
    const values = [
      [0.23, 0.206, 0.165],
      [0.319, 0.28, 0.253],
    ];
    const treatments = treatmentsOf('no factor, same treatment').map((entry, index) => ({
      ...entry,
      runs: entry.runs.map((run, block) => ({ ...run, metrics: { 'latency.p50': values[index]![block]! } })),
    }));
    const contrasts = contrastsOf(treatments);
    const [found] = contrasts;
    // Recomputed with an independent program: Welch's test on the logarithms, df 3.5437.
    expect(found?.value).toBeCloseTo(1.424503, 6);
    expect(found?.pAlone).toBeCloseTo(0.047223, 5);
    expect(found).toMatchObject({ method: 'Welch', outcome: 'resolved', runs: 3 });
    const sentence = found ? contrastSentence(found, metric).replaceAll('\u00a0', ' ') : '';
    expect(sentence).toMatch(/^E-2 All runs has a 42 % \[.+\] higher median latency than E-1 All runs\.$/);
  });
});
