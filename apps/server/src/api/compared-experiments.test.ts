import { contrastTreatments } from '@mqttlab/shared/analysis/contrasts';
import { usualBaseline } from '@mqttlab/shared/analysis/run-values';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import {
  type ComparedTreatment,
  type Comparison,
  comparisonSchema,
} from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import {
  type ByHand,
  compareByHand,
  type ExperimentShape,
  experimentShapes,
  holmByHand,
  latencyOf,
  pairName,
  sidesOf,
} from '@mqttlab/shared/testing/experiment-shapes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callCli } from '../../../cli/src/testing/call-cli.ts';
import { exportBundle, importBundle } from '../exchange/testing/pack-bundle.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const metric = findMetric('latency.p50')!;

function play(on: ApiRig, { experiments }: ExperimentShape, index: number): number {
  const change = { ...experiments[index], repetitions: 3, response: metric.id };
  return playExperiment(on, change, (treatment, block) => ({ latencyMs: latencyOf(index, treatment, block) }))
    .id;
}

/** Runs experiment `index` on another server, and imports its bundle. */
async function importFromElsewhere(shape: ExperimentShape, index: number): Promise<void> {
  const other = await startApiRig();
  try {
    const id = play(other, shape, index);
    const { status, body } = await importBundle(rig, await exportBundle(other, id));
    expect(status, JSON.stringify(body)).toBe(201);
  } finally {
    await other.stop();
  }
}

/** Expected values of each pair, from the values of single runs and plain arithmetic. */
async function expectedOf(
  { pairs }: ExperimentShape,
  comparison: Comparison,
): Promise<(ByHand & { holm: number })[]> {
  const details = new Map<number, ExperimentDetail>();
  for (const { id } of comparison.experiments) {
    details.set(id, (await rig.api(`/experiments/${id}`)).body as ExperimentDetail);
  }
  const valuesOf = ({ experimentId, treatment }: ComparedTreatment) =>
    (details.get(experimentId)?.runs ?? [])
      .filter(({ treatmentKey }) => treatmentKey === treatment.key)
      .sort((one, other) => one.block - other.block)
      .map(({ metrics }) => metrics[metric.id] ?? Number.NaN);
  const found = pairs.map((pair) => {
    const [own, other] = sidesOf(pair, comparison.treatments);
    return compareByHand(valuesOf(own), valuesOf(other), own.experimentId === other.experimentId);
  });
  const adjusted = holmByHand(found.map(({ p }) => p));
  return found.map((one, index) => ({ ...one, holm: adjusted[index] ?? Number.NaN }));
}

async function checkEverywhere(shape: ExperimentShape): Promise<void> {
  const ids = shape.experiments.map((_, index) => index + 1);
  const comparison = comparisonSchema.parse((await rig.api(`/compare?experiments=${ids.join(',')}`)).body);
  const expected = await expectedOf(shape, comparison);

  // The answer of the API has the data for every page.
  const { treatments } = comparison;
  const contrasts = contrastTreatments({
    treatments,
    baselineId: usualBaseline(comparison),
    metric,
    flagged: false,
  });
  expect(contrasts.map(pairName)).toEqual(shape.pairs);
  for (const [index, { ratio, lo, hi, p, holm }] of expected.entries()) {
    const found = contrasts[index];
    expect(found?.value).toBeCloseTo(ratio, 9);
    expect(found?.lo).toBeCloseTo(lo, 6);
    expect(found?.hi).toBeCloseTo(hi, 6);
    expect(found?.pAlone).toBeCloseTo(p, 6);
    expect(found?.p).toBeCloseTo(holm, 6);
  }

  // The command line: one row for each treatment, in its last column the difference from its baseline.
  const argv = ['compare', ...ids.map((id) => `E-${id}`), '--server', rig.origin];
  const { code, said } = await callCli(argv, { env: {}, columns: 400 });
  expect(code).toBe(0);
  const rows = said
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .filter((line) => /^E-\d+ /.test(line))
    .slice(0, treatments.length);
  const cells = rows.map((row) => row.trim().split(/\s{2,}/));
  expect(cells.map(([id, name]) => `${id} ${name}`)).toEqual(
    treatments.map(({ experimentId, treatment }) => `E-${experimentId} ${treatment.shortLabel}`),
  );
  const differences = cells.map((row, index) => ({ index, words: row.at(-1) ?? '' }));
  for (const { index, words } of differences) {
    const name = cells[index]?.slice(0, 2).join(' ');
    const at = shape.pairs.findIndex((pair) => pair.startsWith(`${name} / `));
    if (at === -1) {
      expect(words).toBe('baseline');
      continue;
    }
    const [own, other] = sidesOf(shape.pairs[at] ?? '', treatments);
    const { ratio, lo, hi } = expected[at]!;
    const [figure, from, to] = figuresIn(words);
    for (const [shown, value] of [
      [figure, ratio],
      [from, lo],
      [to, hi],
    ] as const) {
      const percent = 100 * (value - 1);
      expect(Math.abs((shown ?? Number.NaN) - percent), words).toBeLessThan(0.6 + 0.03 * Math.abs(percent));
    }
    const isBetween = own.experimentId !== other.experimentId;
    expect(words.endsWith(`against E-${other.experimentId}`), words).toBe(isBetween);
  }
}

/** Percent of "+42.1 % [12, 60], p 0.01" and of "×1.42 [1.12, 1.6], p 0.01". */
function figuresIn(words: string): number[] {
  const numbers = [...words.replaceAll('−', '-').matchAll(/-?\d+(\.\d+)?/g)].map(([text]) => Number(text));
  return words.startsWith('×') ? numbers.map((ratio) => 100 * (ratio - 1)) : numbers;
}

describe('experiments next to each other, in the API and on the command line', () => {
  it.each(experimentShapes)('$name', async (shape) => {
    for (const index of shape.experiments.keys()) play(rig, shape, index);
    await checkEverywhere(shape);
  });

  it.each([
    'no factor, same treatment',
    'one factor, overlapping',
    'a third experiment without the baseline',
  ])('the last one imported: %s', async (name) => {
    const shape = experimentShapes.find((one) => one.name === name)!;
    const last = shape.experiments.length - 1;
    for (let index = 0; index < last; index += 1) play(rig, shape, index);
    await importFromElsewhere(shape, last);
    await checkEverywhere(shape);
  });
});
