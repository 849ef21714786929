import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { makeHistogram, makeRoleResult, makeTrialSpec } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import {
  describeClocks,
  distributionsOf,
  leadingDistribution,
  makeDistributionView,
  makeOutline,
  whyNoDistribution,
} from './distributions.ts';

const treatment = { spec: makeTrialSpec() } as Treatment;
const values = makeHistogram([2000, 2100, 2200]);
const clock = (uncertaintyUs: number) => ({ before: { offsetUs: 0, uncertaintyUs }, after: null });

function runOf(publisher: Partial<RoleResult>, subscriber: Partial<RoleResult>) {
  return {
    treatment,
    results: [
      makeRoleResult({ role: 'publisher', ...publisher }),
      makeRoleResult({ role: 'subscriber', ...subscriber }),
    ],
  };
}

describe('distributionsOf', () => {
  it('lists non-empty distributions, with the device only if two have the same', () => {
    const run = runOf(
      { histograms: { 'phase.tls': values, encryption: values, roundTrip: makeHistogram([]) } },
      { latency: values, histograms: { 'phase.tls': values } },
    );
    expect(distributionsOf(run).map(({ id, label, unit }) => [id, label, unit])).toEqual([
      ['latency', 'Message latency', 'ms'],
      ['phase.tls publisher', 'Phase tls, publisher', 'ms'],
      ['phase.tls subscriber', 'Phase tls, subscriber', 'ms'],
      ['encryption', 'Encryption', 'µs'],
    ]);
  });
});

describe('clocks behind a latency', () => {
  it('state the maximum error of one-way latency', () => {
    const run = runOf({ clock: clock(20) }, { latency: values, clock: clock(30) });
    expect(leadingDistribution(run, distributionsOf(run))?.id).toBe('latency');
    expect(describeClocks(run, 'latency')).toBe('One way, clock error ±50.0\u00a0µs.');
  });

  it('fall back to the round trip, with the reason', () => {
    const run = runOf(
      { clock: clock(900), histograms: { roundTrip: values } },
      { latency: values, clock: clock(900) },
    );
    expect(leadingDistribution(run, distributionsOf(run))?.id).toBe('roundTrip');
    expect(describeClocks(run, 'roundTrip')).toMatch(
      /^Round trip, because the clock error of one-way latency \(±1.8\u00a0?\d*0?\u00a0ms\)/,
    );
  });

  it('do not affect times of a single device', () => {
    const run = runOf({ histograms: { encryption: values } }, {});
    expect(describeClocks(run, 'encryption')).toBe('');
  });

  it('report clocks that were not compared', () => {
    expect(describeClocks(runOf({}, { latency: values }), 'latency')).toContain('not compared');
  });
});

describe('a run without any distribution', () => {
  it('has an explanation', () => {
    const whyOf = (workload: string, failure: object | null = null) =>
      whyNoDistribution({ failure, treatment: { spec: { workload } } } as unknown as RunDetail);
    expect(whyOf('stream')).toContain('stamp');
    expect(whyOf('states')).toContain('counts bytes');
    expect(whyOf('stream', { code: 'tls-handshake' })).toContain('failed');
  });
});

const viewOf = (values: readonly number[], noun = 'messages') =>
  makeDistributionView({ histogram: makeHistogram(values), unit: 'ms', noun });
const ramp = Array.from({ length: 1500 }, (_, i) => 1000 + i);

describe('makeDistributionView', () => {
  it('omits quantiles with too few values, with the reason', () => {
    expect(viewOf(ramp)?.quantiles.map(({ name }) => name)).toEqual(['P50', 'P95', 'P99']);
    expect(viewOf(ramp)?.leftOut).toMatch(/^P99\.9 is left out: it needs 10,00\d messages\.$/);
    const few = viewOf(ramp.slice(0, 100), 'connections');
    expect(few?.quantiles.map(({ name }) => name)).toEqual(['P50']);
    expect(few?.leftOut).toMatch(/^P95 and P99 and P99\.9 are left out: they need .* connections\.$/);
    expect(few?.curve.every((point) => point.percentile <= 50)).toBe(true);
  });

  it('keeps every value and the largest, in the requested unit', () => {
    const view = viewOf(ramp);
    expect(view?.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(1500);
    expect(view?.maximum).toBeCloseTo(2.499, 6);
    const micro = makeDistributionView({ histogram: makeHistogram(ramp), unit: 'µs', noun: 'messages' });
    expect(micro?.maximum).toBeCloseTo(2499, 3);
  });

  it('uses a logarithmic axis only for a long tail', () => {
    expect(viewOf(ramp)?.isLongTailed).toBe(false);
    expect(viewOf([...ramp, ...ramp.slice(0, 40).map(() => 60_000)])?.isLongTailed).toBe(true);
  });

  it('is null while empty', () => expect(viewOf([])).toBeNull());
});

describe('makeOutline', () => {
  it('pools other runs and scales them to this one', () => {
    const others = [makeHistogram(ramp), makeHistogram([]), makeHistogram(ramp.slice(0, 500))];
    const outline = makeOutline(others, { unit: 'ms', count: 300 });
    expect(outline.reduce((sum, bin) => sum + bin.count, 0)).toBeCloseTo(300, 6);
  });

  it('is empty without other runs', () => {
    expect(makeOutline([makeHistogram([])], { unit: 'ms', count: 300 })).toEqual([]);
  });
});
