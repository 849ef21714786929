import { barTable } from '@mqttlab/charts/kinds/bar';
import { treatmentsOfRuns } from '@mqttlab/shared/analysis/counting-runs';
import { resultOf } from '@mqttlab/shared/analysis/result';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Plan, Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { describe, expect, it } from 'vitest';
import { makeRunSummary } from '../../live/testing/live-factories.ts';
import { makeOutcomeBars } from './outcome-panel.tsx';

function makeTreatment(key: string, part: Partial<Treatment>): Treatment {
  const spec = {} as Treatment['spec'];
  return {
    key,
    levels: {},
    label: key,
    shortLabel: key,
    mark: 1,
    colourLabel: key,
    rowLabel: '',
    spec,
    ...part,
  };
}

const plan: Pick<Plan, 'varied' | 'treatments'> = {
  varied: ['security', 'qos'],
  treatments: [
    makeTreatment('p0', { colourLabel: 'Plain', rowLabel: 'QoS 0', levels: { security: 'plain', qos: 0 } }),
    makeTreatment('s0', {
      colourLabel: 'TLS 1.3',
      rowLabel: 'QoS 0',
      mark: 2,
      levels: { security: 'TLS 1.3', qos: 0 },
    }),
    makeTreatment('p1', { colourLabel: 'Plain', rowLabel: 'QoS 1', levels: { security: 'plain', qos: 1 } }),
  ],
};

const metric = findMetric('latency.p50');

function makeRun(id: number, value: number | null, part: Partial<RunSummary>) {
  const metrics = { 'latency.p50': value };
  return makeRunSummary({ id, trialNumber: id, block: id, status: 'done', metrics, ...part });
}

function barsOf(runs: readonly RunSummary[], flagged = false) {
  if (!metric) throw new Error('there is such a metric');
  const treatments = treatmentsOfRuns(1, { ...plan, stopping: null }, runs);
  return makeOutcomeBars(resultOf({ treatments, baselineId: 'p0', metric, flagged }), flagged);
}

describe('outcome bars', () => {
  it('are geometric means of runs with the t interval of the logs, grouped by the other factors', () => {
    const { groups, runs } = barsOf([
      makeRun(1, 1, { treatmentKey: 'p0' }),
      makeRun(2, 2, { treatmentKey: 'p0' }),
      makeRun(3, 4, { treatmentKey: 'p0' }),
      makeRun(4, 7, { treatmentKey: 'p1' }),
    ]);
    expect(runs).toBe(4);
    expect(
      groups.map(({ title, bars }) => [title, bars.map(({ value }) => Number(value?.toFixed(9)))]),
    ).toEqual([
      ['QoS 0', [2]],
      ['QoS 1', [7]],
    ]);
    // t(0.975, 2 df) = 4.3027, sd of the logs = ln 2.
    expect(groups[0]?.bars[0]?.lo).toBeCloseTo(2 * Math.exp((-4.30265 * Math.log(2)) / Math.sqrt(3)), 4);
    expect(groups[1]?.bars[0]).not.toHaveProperty('lo');
  });

  it('omit flagged runs by default, and excluded ones always', () => {
    const runs = [
      makeRun(1, 1, { treatmentKey: 'p0' }),
      makeRun(2, 4, { treatmentKey: 'p0', flagged: true }),
      makeRun(3, 50, { treatmentKey: 'p0', exclusion: { reason: 'door open', at: 0 } }),
    ];
    expect(barsOf(runs).groups[0]?.bars[0]?.value).toBe(1);
    expect(barsOf(runs, true).groups[0]?.bars[0]?.value).toBeCloseTo(2, 9);
  });

  it('count a trial once, by the attempt that counts, and never failed runs or missing values', () => {
    const { groups, runs: counted } = barsOf([
      makeRun(1, 1, { treatmentKey: 's0', trialNumber: 5, flagged: true }),
      makeRun(2, 9, { treatmentKey: 's0', trialNumber: 5, attempt: 2 }),
      makeRun(3, 4, { treatmentKey: 's0', status: 'failed' }),
      makeRun(4, null, { treatmentKey: 's0' }),
    ]);
    expect(groups[0]?.bars).toMatchObject([{ value: 9, treatment: { index: 2, shortLabel: 'TLS 1.3' } }]);
    expect(counted).toBe(1);
  });

  it('keep the row of a treatment whose runs are all flagged, hatched if more than a third is', () => {
    const flagged = [1, 2].map((id) => makeRun(id, 4, { treatmentKey: 's0', flagged: true }));
    const valid = (count: number) =>
      Array.from({ length: count }, (_, index) => makeRun(10 + index, 2, { treatmentKey: 'p0' }));
    const [few] = barsOf([...flagged, ...valid(4)]).groups;
    expect(few?.bars).toMatchObject([{ value: 2 }, { value: null, note: '2 of 2 flagged' }]);
    const [many] = barsOf([...flagged, ...valid(3)]).groups;
    expect(many?.bars).toMatchObject([{ value: 2 }, { value: 4, note: '2 of 2 flagged', isPreview: true }]);
    const [included] = barsOf([...flagged, ...valid(3)], true).groups;
    expect(included?.bars[1]).not.toHaveProperty('note');
    expect(barTable(many ? [many] : [], 'ms').rows[1]).toEqual([
      'QoS 0',
      's0',
      null,
      null,
      null,
      '2 of 2 flagged',
    ]);
  });
});
