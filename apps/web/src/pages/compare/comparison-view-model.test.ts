import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { makeComparison } from '@mqttlab/shared/testing/make-comparison';
import { describe, expect, it } from 'vitest';
import { stacksOf } from './answer-panel.tsx';
import { withBars } from './bars-panel.tsx';
import { parseCompareState, parseRunBrush } from './compare-state.ts';
import { makeComparisonViewModel, withMarks, withPanel } from './comparison-view-model.ts';
import { brushedRuns, runRows, stripMetrics, treatmentsOf } from './runs-panel.tsx';

const state = { ...parseCompareState(''), metric: 'latency.p50' };

/** The third run of the first treatment is flagged. */
function makeTour(): Comparison {
  return makeComparison((index, block) => ({
    flagged: index === 0 && block === 3,
    metrics: { 'latency.p50': 1 + index + block / 10 },
  }));
}

describe('stacked parts', () => {
  it('are means of the included runs, so that they add up; a missing metric is zero', () => {
    const comparison = makeTour();
    for (const run of comparison.treatments[0]?.runs ?? []) {
      run.metrics['setUp.tcp'] = run.block ** 2;
      run.metrics['setUp.connect'] = 10;
    }
    const parts = ['tcp', 'tls', 'connect'].map((label) => ({ label, metric: `setUp.${label}` }));
    const model = makeComparisonViewModel(comparison, { ...state, metric: 'setUp.tcp' });
    // The third run is flagged; treatments without any part have no bar.
    expect(model && stacksOf({ parts }, model).bars.map((bar) => bar.parts)).toEqual([[2.5, 0, 10]]);
    const all = makeComparisonViewModel(comparison, { ...state, metric: 'setUp.tcp', flagged: true });
    expect(all && stacksOf({ parts }, all).bars[0]?.parts[0]).toBeCloseTo(14 / 3);
  });
});

describe('a comparison with too few valid runs', () => {
  const comparison = makeTour();
  for (const { runs } of comparison.treatments) for (const run of runs) run.flagged = run.block > 1;
  const few = 'Too few valid runs for a comparison: 6 of 18 runs are valid for median latency';

  it('reports that first, also if flagged runs are shown on request', () => {
    for (const flagged of [false, true]) {
      expect(makeComparisonViewModel(comparison, { ...state, flagged })?.whyNothing).toContain(few);
    }
  });

  it('does not report it with three valid runs on each side', () => {
    const enough = structuredClone(comparison);
    for (const { runs } of enough.treatments.slice(0, -1)) for (const run of runs) run.flagged = false;
    expect(makeComparisonViewModel(enough, state)?.whyNothing).toBeNull();
  });
});

describe('the scale of an axis', () => {
  const lost = findMetric('count.lost');
  const latency = findMetric('latency.p50');
  const scalesOf = (search: string) => {
    const chosen = { ...parseCompareState(search), metric: 'latency.p50' };
    const model = makeComparisonViewModel(
      makeComparison(() => ({})),
      chosen,
    );
    return model && latency && lost && [model.scaleOf(latency), model.scaleOf(lost)];
  };

  it('is logarithmic by default for quantities that are compared as ratios, otherwise linear', () => {
    expect(scalesOf('')).toEqual(['log', 'linear']);
  });

  it('is the chosen one', () => {
    expect(scalesOf('scale=linear')).toEqual(['linear', 'linear']);
    expect(scalesOf('scale=log')).toEqual(['log', 'log']);
  });
});

describe('counts of runs', () => {
  it('count flagged runs for the response, also if the address names none', () => {
    const comparison = makeTour();
    for (const run of comparison.treatments[1]?.runs ?? []) {
      run.flagged = true;
      // A busy device changes no byte on the wire: this flag does not concern the response.
      run.failed = ['device-idle'];
    }
    comparison.experiments = comparison.experiments.map((one) => ({ ...one, response: 'wire.perMessage' }));
    for (const run of comparison.treatments.flatMap(({ runs }) => runs)) run.metrics['wire.perMessage'] = 300;
    const model = makeComparisonViewModel(comparison, { ...state, metric: '' });
    expect(model?.metric.id).toBe('wire.perMessage');
    expect((model?.usedRuns ?? 0) + (model?.flaggedOut ?? 0)).toBe(model?.allRuns);
    expect(model?.flaggedOut).toBe(1);
  });
});

describe('every run as a dot', () => {
  it('has hollow dots for flagged runs, included or not', () => {
    for (const flagged of [false, true]) {
      const model = makeComparisonViewModel(makeTour(), { ...state, flagged });
      const [first] = model ? runRows(model, 'latency.p50') : [];
      expect(first?.points.map(({ isFlagged }) => isFlagged)).toEqual([false, false, true]);
    }
  });
});

describe('runs chosen by their values', () => {
  it('are found in every metric, including flagged ones if requested', () => {
    const model = makeComparisonViewModel(makeTour(), { ...state, flagged: true });
    if (!model) throw new Error('there is a model');
    const brush = parseRunBrush('latency.p50:1.25:2.15');
    const runs = brushedRuns(model, brush);
    expect([...(runs ?? [])]).toEqual([3, 4]);
    expect(treatmentsOf(model, runs ?? new Set())).toEqual(model.shown.slice(0, 2).map(({ id }) => id));
    const valid = makeComparisonViewModel(makeTour(), state);
    expect(valid && [...(brushedRuns(valid, brush) ?? [])]).toEqual([4]);
    expect(brushedRuns(model, null)).toBeNull();
  });

  it('are read from an address only if it has a metric and two ordered numbers', () => {
    for (const text of [
      '',
      'latency.p50',
      'latency.p50:2:1',
      'latency.p50:a:b',
      'nothing:1:2',
      'latency.p50:1:2:3',
    ]) {
      expect(parseRunBrush(text), text).toBeNull();
    }
    expect(parseRunBrush('latency.p50:-1:2e3')).toEqual({ metric: 'latency.p50', range: [-1, 2000] });
  });

  it('are shown with CPU until other metrics are chosen', () => {
    const comparison = makeTour();
    for (const { runs } of comparison.treatments)
      for (const run of runs) run.metrics['cpu.broker'] = run.block;
    const names = (change: Partial<typeof state>) =>
      stripMetrics(makeComparisonViewModel(comparison, { ...state, ...change }) as never).map(({ id }) => id);
    expect(names({})).toEqual(['latency.p50', 'cpu.broker']);
    expect(names({ more: ['latency.p95'] })).toEqual(['latency.p50', 'latency.p95']);
  });
});

describe('makeComparisonViewModel', () => {
  it('makes a panel per QoS with the ciphers, using the planned marks', () => {
    const model = makeComparisonViewModel(makeTour(), state);
    expect(model?.groups.map((group) => group.title)).toEqual(['QoS 0', 'QoS 1']);
    expect(model?.groups[0]?.estimates.map(({ treatment }) => model.identity(treatment))).toMatchObject([
      { index: 1, shortLabel: 'Plain' },
      { index: 2, shortLabel: 'TLS 1.3 · AES-256-GCM' },
      { index: 3, shortLabel: 'TLS 1.3 · ChaCha20-Poly1305' },
    ]);
  });

  it('omits flagged runs by default, and counts them', () => {
    expect(makeComparisonViewModel(makeTour(), state)?.usedRuns).toBe(17);
    expect(makeComparisonViewModel(makeTour(), { ...state, flagged: true })?.usedRuns).toBe(18);
    expect(makeComparisonViewModel(makeTour(), state)?.allRuns).toBe(18);
    expect(makeComparisonViewModel(makeTour(), state)?.flaggedOut).toBe(1);
    expect(makeComparisonViewModel(makeTour(), { ...state, flagged: true })?.flaggedOut).toBe(0);
  });

  it('starts with the response of the experiment', () => {
    const comparison = makeTour();
    const [experiment] = comparison.experiments;
    if (experiment) experiment.response = 'rate.connections';
    for (const { runs } of comparison.treatments)
      for (const run of runs) run.metrics = { 'rate.connections': 9 };
    expect(makeComparisonViewModel(comparison, { ...state, metric: '' })?.metric.id).toBe('rate.connections');
  });

  it('compares each cipher with plain at the same QoS', () => {
    const model = makeComparisonViewModel(makeTour(), state);
    const pairs = model?.contrasts.map(({ treatment, baseline }) => [
      treatment.treatment.shortLabel,
      baseline.treatment.shortLabel,
    ]);
    expect(pairs).toEqual([
      ['TLS 1.3 · AES-256-GCM · QoS 0', 'Plain · QoS 0'],
      ['TLS 1.3 · AES-256-GCM · QoS 1', 'Plain · QoS 1'],
      ['TLS 1.3 · ChaCha20-Poly1305 · QoS 0', 'Plain · QoS 0'],
      ['TLS 1.3 · ChaCha20-Poly1305 · QoS 1', 'Plain · QoS 1'],
    ]);
  });

  it('falls back to the median latency for a metric that does not exist', () => {
    expect(makeComparisonViewModel(makeTour(), { ...state, metric: 'beauty' })?.metric.id).toBe(
      'latency.p50',
    );
  });
});

describe('panels and colours by choice', () => {
  const modelOf = (choice: object) => {
    const model = makeComparisonViewModel(makeTour(), { ...state, ...choice });
    if (!model) throw new Error('there is a model');
    return model;
  };
  const namesOf = (model: ReturnType<typeof modelOf>, group = 0) =>
    model.groups[group]?.estimates.map(({ treatment }) => model.identity(treatment).shortLabel);

  it('offers only varied factors', () => {
    expect(modelOf({}).facets.map(({ id }) => id)).toEqual(['security', 'cipherSuite', 'qos']);
  });

  it('gives suites of TLS 1.2 and 1.3 with the same short name different names in the filter', () => {
    const comparison = makeTour();
    const older = { security: 'tls1.2', cipherSuite: 'ECDHE-RSA-AES256-GCM-SHA384' };
    for (const { treatment } of comparison.treatments) {
      if (treatment.levels.security === 'plain') Object.assign(treatment.levels, older);
    }
    const model = makeComparisonViewModel(comparison, state);
    expect(model?.facets.find(({ id }) => id === 'cipherSuite')?.levels.map(({ label }) => label)).toEqual([
      'AES-256-GCM (ECDHE-RSA-AES256-GCM-SHA384)',
      'AES-256-GCM (TLS_AES_256_GCM_SHA384)',
      'ChaCha20-Poly1305',
    ]);
  });

  it('makes panels of the suites with QoS as the colour, and compares QoS 1 with QoS 0', () => {
    const model = modelOf({ group: 'cipherSuite', colour: 'qos' });
    expect(model.groups.map(({ title }) => title)).toEqual([
      'No cipher suite',
      'AES-256-GCM',
      'ChaCha20-Poly1305',
    ]);
    expect(namesOf(model)).toEqual(['QoS 0', 'QoS 1']);
    expect(
      model.contrasts.map(({ treatment, baseline }) => [
        treatment.treatment.shortLabel,
        baseline.treatment.shortLabel,
      ]),
    ).toEqual([
      ['Plain · QoS 1', 'Plain · QoS 0'],
      ['TLS 1.3 · AES-256-GCM · QoS 1', 'TLS 1.3 · AES-256-GCM · QoS 0'],
      ['TLS 1.3 · ChaCha20-Poly1305 · QoS 1', 'TLS 1.3 · ChaCha20-Poly1305 · QoS 0'],
    ]);
  });

  it('compares TLS with plain at the same QoS, although plain has no suite', () => {
    const model = modelOf({ colour: 'security' });
    expect(
      model.contrasts.every(
        ({ treatment, baseline }) => treatment.treatment.levels.qos === baseline.treatment.levels.qos,
      ),
    ).toBe(true);
    expect(model.contrasts).toHaveLength(4);
  });

  it('puts everything into one panel, with names that include levels not shown by colour', () => {
    const model = modelOf({ group: 'none' });
    expect(model.groups.map(({ title }) => title)).toEqual(['']);
    expect(new Set(namesOf(model)).size).toBe(6);
  });

  it('omits filtered levels', () => {
    const model = modelOf({ without: ['qos=1', 'security=plain'] });
    expect(model.shown.map(({ treatment }) => treatment.levels.qos)).toEqual([0, 0]);
  });
});

describe('per cent of the baseline', () => {
  it('scales each mean by its baseline, and does not change the contrasts', () => {
    const absolute = makeComparisonViewModel(makeTour(), { ...state, more: ['latency.p50'] });
    const model = makeComparisonViewModel(makeTour(), { ...state, unit: 'baseline' });
    const means = model?.multiples[0]?.groups.map(({ estimates }) =>
      estimates.map(({ estimate }) => Math.round(estimate.value ?? 0)),
    );
    // Plain: its valid runs have 1.15 and 2.2 ms on average; each further treatment 1 ms more.
    expect(means?.map(([plain]) => plain)).toEqual([100, 100]);
    expect(model?.contrasts).toEqual(absolute?.contrasts);
    expect(absolute?.multiples).toHaveLength(1);
    expect(model?.multiples[0]?.unit).toBe('%');
  });

  it('previews a treatment whose runs are all flagged on the same scale, but none without a baseline', () => {
    const barsWith = (flagged: readonly number[]) => {
      const comparison = makeTour();
      comparison.treatments.forEach(({ runs }, index) => {
        for (const run of runs) run.flagged = flagged.includes(index);
      });
      const model = makeComparisonViewModel(comparison, { ...state, unit: 'baseline' });
      if (!model) throw new Error('there is a model');
      return withBars(model).flatMap(({ bars }) => bars.flatMap((group) => group.bars));
    };
    const preview = barsWith([2, 3, 4]).find(({ isPreview }) => isPreview);
    expect(preview).toMatchObject({ note: '3 of 3 flagged' });
    expect(preview?.value).toBeGreaterThan(100);
    const alone = barsWith([0, 1, 2, 3, 4, 5]);
    expect(alone.map(({ value, note }) => [value, note])).toEqual(alone.map(() => [null, '3 of 3 flagged']));
    expect(alone).toHaveLength(6);
  });

  it('shows nothing without a baseline value', () => {
    const model = makeComparisonViewModel(makeTour(), { ...state, unit: 'baseline', more: ['cpu.broker'] });
    const [, second] = model?.shown ?? [];
    const unmeasured = findMetric('cpu.broker');
    if (!model || !second || !unmeasured) throw new Error('there is something to compare with');
    expect(model.factorOf(second, unmeasured)).toBeNull();
  });
});

describe('withPanel', () => {
  it('keeps one panel, the first if the named one does not exist, and all contrasts', () => {
    const model = makeComparisonViewModel(makeTour(), state);
    if (!model) throw new Error('there is a model');
    const titles = model.groups.map(({ title }) => title);
    const shown = (panel: string | null) => {
      const { groups, multiples, contrasts } = withPanel(model, panel);
      expect(contrasts).toBe(model.contrasts);
      expect(multiples[0]?.groups.map(({ title }) => title)).toEqual(groups.map(({ title }) => title));
      return groups.map(({ title }) => title);
    };
    expect(titles.length).toBeGreaterThan(1);
    expect(shown(titles[1] ?? '')).toEqual([titles[1]]);
    expect(shown('gone')).toEqual([titles[0]]);
    expect(shown(null)).toEqual([titles[0]]);
  });
});

describe('withMarks', () => {
  it('dims treatments that were not chosen, and none if none on the page was', () => {
    const model = makeComparisonViewModel(makeTour(), state);
    if (!model) throw new Error('there is a model');
    const dimmed = (marked: string[]) => {
      const shown = withMarks(model, marked);
      return model.shown.map((entry) => shown.identity(entry).isDimmed ?? false);
    };
    expect(dimmed([model.shown[1]?.id ?? ''])).toEqual(model.shown.map((_, index) => index !== 1));
    expect(dimmed(['9~gone'])).toEqual(model.shown.map(() => false));
  });
});
