import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { PhaseRecord } from '@mqttlab/shared/domain/runs/role-result';
import { radioState } from '@mqttlab/shared/testing/captures';
import { makeHistogram, makeRoleResult } from '@mqttlab/shared/testing/factories';
import { makeNoise, makeReportInput, type RunShape } from '@mqttlab/shared/testing/report-input';
import { describe, expect, it } from 'vitest';
import { printPalette } from '../drawing/palette.ts';
import { toSvgText } from '../drawing/svg.ts';
import type { Block } from './blocks.ts';
import { makeDocumentHtml } from './document-html.ts';
import { makeDocument } from './make-document.ts';

const seconds = Array.from({ length: 60 }, (_, index) => index * 1000);

const phase = (name: 'tcp' | 'tls' | 'connect'): PhaseRecord => ({
  phase: name,
  startUs: 0,
  durationUs: 2000,
  cpuUs: 500,
  energyJ: 0.01,
  bytesSent: 200,
  bytesReceived: 800,
  connections: 1,
});

/** Every kind of data that a run can bring. */
function shapeOf(noise: () => number, treatment: number, messages: number): RunShape {
  const level = 5 + treatment + noise();
  const series = (role: string, metric: string, unit: string) => ({
    role,
    series: { metric, unit, timesMs: seconds, values: seconds.map(() => level + noise()) },
  });
  const phases = [phase('tcp'), phase('tls'), phase('connect')];
  return {
    metrics: {
      'latency.p50': level,
      'latency.p95': 3 * level + noise(),
      'setUp.total': 6 + noise(),
      'cpu.broker': 10 - treatment + noise(),
      'energyPerMessage.total': 2 + noise() / 10,
      'wire.perMessage': 100 + treatment,
    },
    series: [
      series('subscriber', 'latency.p50', 'ms'),
      series('broker', 'cpu.process', '%'),
      series('broker', 'energy.power', 'W'),
    ],
    data: {
      latency: [makeHistogram(Array.from({ length: messages }, (_, index) => 1000 + index))],
      phases,
      rolePhases: [{ role: 'publisher', phases }],
      energy: ['broker', 'publisher'].map((role) => ({
        role,
        machine: 'one',
        energy: {
          source: 'meter',
          quality: 'measured' as const,
          detail: '',
          baselineW: 1,
          measureJ: 300 + noise(),
          voltageV: 5,
          batteryMah: 2000,
        },
      })),
    },
  };
}

function documentOf(
  factors: Record<string, (string | number)[]>,
  { repetitions = 5, messages = 100 }: { repetitions?: number; messages?: number } = {},
) {
  const noise = makeNoise(11);
  const report = makeReport(
    makeReportInput((treatment) => shapeOf(noise, treatment, messages), {
      repetitions,
      factors,
      sampleHz: 1,
    }),
  );
  return { report, blocks: makeDocument(report, printPalette) };
}

function figuresOf(blocks: readonly Block[]) {
  return blocks.flatMap((block) => (block.kind === 'figure' ? [block] : []));
}

describe('makeDocument', () => {
  const { report, blocks } = documentOf({ security: ['plain', 'TLS 1.3'], rate: [100, 200, 400] });
  const figures = figuresOf(blocks);

  it.each([
    ['grouped bars', 'Median latency by treatment'],
    ['box plots', 'Message latency'],
    ['percentile curves', 'Latency percentiles'],
    ['differences', 'difference from Plain'],
    ['Cohen d and Hedges g', 'Median latency: effect sizes'],
    ['an interaction', 'Median latency: interaction'],
    ['a heat map', 'Effect sizes over metrics'],
    ['parallel coordinates', 'Treatments over several metrics'],
    ['phase stacks', 'Phases of the connection set-up'],
    ['a Pareto front with a scatter of runs', 'Energy per message against median latency'],
    ['a saturation fit', 'Median latency over rate'],
    ['a time series', 'Median latency per second over time'],
    ['relative overhead', 'relative overhead over time'],
    ['ACF and PACF', 'autocorrelation and partial autocorrelation'],
    ['a bootstrap distribution', 'bootstrap distribution of the difference'],
    ['cumulative energy', 'Cumulative energy of the machine'],
    ['sensitivity lines', 'Sensitivity of the energy of the machine'],
  ])('draws %s', (_, title) => {
    expect(figures.map((figure) => figure.title)).toContainEqual(expect.stringContaining(title));
  });

  it('states the number of runs or samples in every caption, with the data', () => {
    for (const { title, caption, picture, table } of figures) {
      expect(caption, title).toMatch(/n\s=\s\d|over 5 runs/);
      expect(table.rows.length, title).toBeGreaterThan(0);
      expect(toSvgText(picture), title).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  it('has a table of contrasts with intervals, effect sizes and Holm-adjusted p', () => {
    const table = blocks.find(
      (block) => block.kind === 'table' && block.caption.includes('contrasts against'),
    );
    expect(table?.kind === 'table' && table.table.columns.map(({ head }) => head)).toEqual([
      'Treatment',
      'Relative',
      'Difference',
      'g',
      'δ',
      'p',
      'n',
      'Judged',
    ]);
  });

  it('draws an interaction on the scale of its test: parallel lines are equal ratios', () => {
    const exact = (byRate: readonly number[]) => {
      const noise = makeNoise(12);
      const input = makeReportInput(
        (treatment) => ({ metrics: { 'latency.p50': (byRate[treatment] ?? 1) * Math.exp(noise() / 1000) } }),
        { repetitions: 5, factors: { security: ['plain', 'TLS 1.3'], rate: [100, 200] } },
      );
      const figure = figuresOf(makeDocument(makeReport(input), printPalette)).find(({ title }) =>
        title.endsWith(': interaction'),
      );
      if (!figure) throw new Error('there is an interaction figure');
      return figure;
    };
    // Plain at both rates, then TLS: each factor multiplies.
    const figure = exact([1, 4, 2, 8]);
    expect(figure.caption).toContain('the effects of the factors multiply');
    const lines = toSvgText(figure.picture).matchAll(
      /<path [^>]*d="M([\d.]+)[ ,]([\d.]+)L([\d.]+)[ ,]([\d.]+)"/g,
    );
    const rises = [...lines]
      .map(([, , y1, , y2]) => Number(y2) - Number(y1))
      .filter((rise) => Math.abs(rise) > 5);
    expect(rises.length).toBeGreaterThanOrEqual(2);
    for (const rise of rises) expect(rise).toBeCloseTo(rises[0] ?? 0, 0);
  });

  it('marks an effect size only if the sentence claims a difference', () => {
    const noise = makeNoise(6);
    const made = makeReport(
      makeReportInput((treatment) => shapeOf(noise, treatment, 100), {
        repetitions: 5,
        factors: { security: ['plain', 'TLS 1.3'] },
      }),
    );
    const dotsIn = (one: Report) => {
      const heat = figuresOf(makeDocument(one, printPalette)).find(
        ({ title }) => title === 'Effect sizes over metrics',
      );
      return heat ? (toSvgText(heat.picture).match(/•/g) ?? []).length : 0;
    };
    expect(dotsIn(made)).toBeGreaterThan(0);
    const leaning = made.responses.map((response) => ({
      ...response,
      contrasts: response.contrasts.map((one) => ({ ...one, p: 0.04, outcome: 'open' as const })),
    }));
    expect(dotsIn({ ...made, responses: leaning })).toBe(0);
  });

  it('is a self-contained HTML file', () => {
    const html = makeDocumentHtml(report);
    expect(html.match(/<svg [^>]*role="img"/g)).toHaveLength(figures.length);
    expect(html).not.toMatch(/<script|<link|src=|url\(http/);
  });

  it('explains that there are too few messages for a percentile curve', () => {
    const few = documentOf({ security: ['plain', 'TLS 1.3'] }, { messages: 4 }).blocks;
    expect(figuresOf(few).some(({ title }) => title === 'Latency percentiles')).toBe(false);
    expect(few).toContainEqual({
      kind: 'paragraph',
      text: 'Too few messages for percentile curves: each point needs at least ten messages beyond it.',
    });
  });

  it('mentions no whiskers for a single run', () => {
    const once = figuresOf(
      documentOf({ security: ['plain', 'TLS 1.3'], qos: [0, 1] }, { repetitions: 1 }).blocks,
    );
    const bars = once.find(({ title }) => title === 'Median latency by treatment');
    expect(bars?.caption).toContain('without whiskers, as there is no interval');
    expect(bars?.caption).toContain('n\u00a0=\u00a01 run for each treatment');
    expect(once.some(({ title }) => title.includes('effect sizes'))).toBe(false);
  });

  it('explains a missing bar if every run of a treatment is flagged', () => {
    const noise = makeNoise(11);
    const input = makeReportInput(
      (treatment) => ({ ...shapeOf(noise, treatment, 100), change: { flagged: treatment === 1 } }),
      { repetitions: 3, factors: { security: ['plain', 'TLS 1.3'] } },
    );
    const bars = figuresOf(makeDocument(makeReport(input), printPalette)).find(
      ({ title }) => title === 'Median latency by treatment',
    );
    if (!bars) throw new Error('there are bars');
    expect(toSvgText(bars.picture)).toContain('all 3 finished runs are flagged');
  });
});

it('shows channel, signal and PHY rate of WiFi devices only', () => {
  const radioOf = (signalDbm: number) => ({
    ...makeRoleResult({ role: 'publisher' }),
    radio: { interface: 'wlan0', before: radioState, after: { ...radioState, signalDbm } },
  });
  const tableOf = (data: RunShape['data'] = {}) => {
    const input = makeReportInput((treatment) => ({ metrics: { 'latency.p50': 1 + treatment }, data }));
    return makeDocument(makeReport(input), printPalette).find(
      (block) => block.kind === 'table' && block.caption.startsWith('Radio of WiFi devices'),
    );
  };
  const found = tableOf({ radio: [radioOf(-61)] });
  const rows = found?.kind === 'table' ? found.table.rows : [];
  expect(rows).toContainEqual(['publisher, wlan0', 'Signal', '−52.0 dBm', '−61.0 dBm']);
  expect(rows).toContainEqual(['publisher, wlan0', 'PHY rate, sending', '433 Mbit/s', '433 Mbit/s']);
  expect(tableOf()).toBeUndefined();
});
