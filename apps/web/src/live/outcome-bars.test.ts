import type { Plan, Treatment } from '@mqttlab/shared/domain/plan';
import type { RunSummary } from '@mqttlab/shared/domain/run';
import { describe, expect, it } from 'vitest';
import { makeRunSummary } from './live-factories.ts';
import { makeOutcomeBars } from './outcome-bars.ts';

const choice = { metric: 'm', takesFlagged: false };

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

function makeRun(id: number, value: number | null, part: Partial<RunSummary>) {
  return makeRunSummary({ id, trialNumber: id, status: 'done', metrics: { m: value }, ...part });
}

describe('outcome bars', () => {
  it('are means of runs with a t interval, grouped by the other factors', () => {
    const { groups, runs } = makeOutcomeBars(
      plan,
      [
        makeRun(1, 1, { treatmentKey: 'p0' }),
        makeRun(2, 3, { treatmentKey: 'p0' }),
        makeRun(3, 7, { treatmentKey: 'p1' }),
      ],
      choice,
    );
    expect(runs).toBe(3);
    expect(groups.map(({ title, bars }) => [title, bars.map(({ value }) => value)])).toEqual([
      ['QoS 0', [2]],
      ['QoS 1', [7]],
    ]);
    // t(0.975, 1 df) = 12.706, s = sqrt 2.
    expect(groups[0]?.bars[0]?.lo).toBeCloseTo(2 - 12.706, 2);
    expect(groups[1]?.bars[0]).not.toHaveProperty('lo');
  });

  it('leave flagged runs out unless told otherwise', () => {
    const runs = [
      makeRun(1, 1, { treatmentKey: 'p0' }),
      makeRun(2, 3, { treatmentKey: 'p0', flagged: true }),
    ];
    expect(makeOutcomeBars(plan, runs, choice).groups[0]?.bars[0]?.value).toBe(1);
    expect(makeOutcomeBars(plan, runs, { ...choice, takesFlagged: true }).groups[0]?.bars[0]?.value).toBe(2);
  });

  it('count a trial once, by its last attempt, and never failed runs or missing values', () => {
    const runs = [
      makeRun(1, 1, { treatmentKey: 's0', trialNumber: 5 }),
      makeRun(2, 9, { treatmentKey: 's0', trialNumber: 5, attempt: 2 }),
      makeRun(3, 4, { treatmentKey: 's0', status: 'failed' }),
      makeRun(4, null, { treatmentKey: 's0' }),
    ];
    const { groups, runs: counted } = makeOutcomeBars(plan, runs, choice);
    expect(groups[0]?.bars).toMatchObject([{ value: 9, treatment: { index: 2, shortLabel: 'TLS 1.3' } }]);
    expect(counted).toBe(1);
  });
});
