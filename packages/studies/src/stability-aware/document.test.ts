import { toSvgText } from '@mqttlab/charts/drawing/svg';
import { expect, it } from 'vitest';
import { makeStudyDocument } from '../page/make-study-document.ts';
import { makeStabilityReport, makeStabilityTestbed } from '../testing/stability-report.ts';
import { figuresOf, makeStudyInput, tableOf, wordsOf } from '../testing/study-input.ts';

it('draws every figure and table of the study from its report', () => {
  const order: string[] = [];
  const input = makeStudyInput(
    { studyId: 'stability-aware', partId: 'a' },
    ({ key }, block) => {
      if (!order.includes(key)) order.push(key);
      const index = order.indexOf(key);
      return {
        'latency.mean': 20 + index + ((block * (index + 2)) % 5) / 50,
        'energy.publisher': 30 + index + ((block * (index + 3)) % 4) / 50,
        'power.publisher': 0.5,
      };
    },
    { scale: 'full', testbed: makeStabilityTestbed(), report: makeStabilityReport('full', 6000) },
  );
  const blocks = makeStudyDocument(input);
  const figures = figuresOf(blocks);
  expect(figures.map(({ title }) => title)).toEqual([
    'Message latency',
    'Current of the emitter over time',
    'Cumulative energy',
    'Relative overhead of the cumulative energy',
    'Effect sizes',
    'Energy and latency',
    'Bootstrap distribution of the difference in current',
    'Autocorrelation of the current',
  ]);
  for (const { picture, table } of figures) {
    expect(toSvgText(picture)).not.toMatch(/NaN|undefined|Infinity/);
    expect(table.rows.length).toBeGreaterThan(0);
  }
  // Three pairs of two responses, TLS against the hybrid among them.
  const effects = figures.find(({ title }) => title === 'Effect sizes')?.table.rows ?? [];
  expect(effects).toHaveLength(6);
  expect(effects.map((row) => row[1])).toContain('TLS 1.2 over the hybrid');
  // All fourteen of Table 4 except the latency, whose series is not in this report.
  const variations = tableOf(blocks, 'Coefficients of variation').rows;
  expect(variations.filter((row) => row[2] !== null)).toHaveLength(6);
  expect(tableOf(blocks, 'by minute').rows[0]).toHaveLength(11);
  expect(tableOf(blocks, 'Ranking when only TLS').rows).toHaveLength(8);
  expect(tableOf(blocks, 'Differences').rows.length).toBeGreaterThan(12);
  const months = tableOf(blocks, 'Battery life').rows.map((row) => row[1]);
  expect(months.slice(0, 3)).toEqual([12, 10.1, 11.1]);
  const words = wordsOf(blocks);
  expect(words).toContain('10 samples per second averaged to one, as published');
  expect(words).not.toMatch(/NaN|undefined|Infinity/);
});
