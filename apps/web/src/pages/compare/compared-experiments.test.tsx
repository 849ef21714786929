import { MantineProvider } from '@mantine/core';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { comparedId } from '@mqttlab/shared/domain/runs/comparison';
import {
  compareByHand,
  experimentShapes,
  holmByHand,
  makeShapeTreatments,
  pairName,
  sidesOf,
} from '@mqttlab/shared/testing/experiment-shapes';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { parseCompareState } from './compare-state.ts';
import { makeComparisonViewModel } from './comparison-view-model.ts';
import { FindingsPanel } from './findings-panel.tsx';

// @vitest-environment jsdom
it.each(experimentShapes)('the page compares $name', (shape) => {
  const treatments = makeShapeTreatments(shape);
  const baselineOf = (id: number) =>
    treatments.find(({ experimentId }) => experimentId === id)?.treatment.key ?? '';
  const comparison = {
    experiments: shape.experiments.map((_, index) => ({
      id: index + 1,
      name: `Experiment ${index + 1}`,
      status: 'done' as const,
      finishedAt: 0,
      response: 'latency.p50',
      baselineId: comparedId(index + 1, baselineOf(index + 1)),
    })),
    treatments,
    flaggedRuns: 0,
    failedRuns: 0,
  };
  const model = makeComparisonViewModel(comparison, parseCompareState(''));
  if (!model) throw new Error('there is a model');
  expect(model.contrasts.map(pairName)).toEqual(shape.pairs);
  const expected = shape.pairs.map((pair) => {
    const sides = sidesOf(pair, treatments);
    const [a, b] = sides.map(({ runs }) => runs.map(({ metrics }) => metrics['latency.p50'] ?? Number.NaN));
    return compareByHand(a ?? [], b ?? [], sides[0].experimentId === sides[1].experimentId);
  });
  const adjusted = holmByHand(expected.map(({ p }) => p));
  for (const [index, { ratio, lo, hi }] of expected.entries()) {
    const found = model.contrasts[index];
    expect(found?.value).toBeCloseTo(ratio, 9);
    expect(found?.lo).toBeCloseTo(lo, 6);
    expect(found?.hi).toBeCloseTo(hi, 6);
    expect(found?.p).toBeCloseTo(adjusted[index] ?? Number.NaN, 6);
  }
  // Every value is drawn relative to its own baseline.
  const metric = findMetric('latency.p50');
  const relative = makeComparisonViewModel(comparison, { ...parseCompareState(''), unit: 'baseline' });
  for (const pair of shape.pairs) {
    const [treatment, baseline] = sidesOf(pair, treatments);
    const logs = baseline.runs.map(({ metrics }) => Math.log(metrics['latency.p50'] ?? Number.NaN));
    const mean = Math.exp(logs.reduce((sum, value) => sum + value, 0) / logs.length);
    expect(metric && relative?.factorOf(treatment, metric)).toBeCloseTo(100 / mean, 9);
  }
  const page = renderToStaticMarkup(
    <MantineProvider env="test">
      <FindingsPanel
        comparison={comparison}
        model={model}
        notice={null}
        experimentIds={[]}
        onTakeFlagged={() => undefined}
      />
    </MantineProvider>,
  ).replaceAll('\u00a0', ' ');
  const count = shape.pairs.length;
  expect(page).toContain(`Holm-adjusted p over ${count} tested contrast${count === 1 ? '' : 's'}`);
  expect(page).toContain(`${3 * treatments.length} of ${3 * treatments.length} runs used`);
  for (const name of shape.pairs.flatMap((pair) => (count === 1 ? pair.split(' / ') : []))) {
    // With one contrast the sentence names both sides, and both experiments if the treatments are alike.
    expect(page).toContain(name.replace(/^E-\d+ (?!All runs)/, ''));
  }
});
