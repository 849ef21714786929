import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { makeHistogram, makeRoleResult, makeTrialSpec } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { describeClocks, distributionsOf, leadingDistribution, whyNoDistribution } from './distributions.ts';

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
  it('lists what holds values, with the device only where two have the same', () => {
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
  it('name the bound of one-way latency', () => {
    const run = runOf({ clock: clock(20) }, { latency: values, clock: clock(30) });
    expect(leadingDistribution(run, distributionsOf(run))?.id).toBe('latency');
    expect(describeClocks(run, 'latency')).toBe('One way, ±50.0\u00a0µs by the clocks.');
  });

  it('fall back on the round trip, and say why', () => {
    const run = runOf(
      { clock: clock(900), histograms: { roundTrip: values } },
      { latency: values, clock: clock(900) },
    );
    expect(leadingDistribution(run, distributionsOf(run))?.id).toBe('roundTrip');
    expect(describeClocks(run, 'roundTrip')).toMatch(
      /^Round trip, because the clocks bound one way only to ±1.8\u00a0?\d*0?\u00a0ms/,
    );
  });

  it('do not matter to what one device times by itself', () => {
    const run = runOf({ histograms: { encryption: values } }, {});
    expect(describeClocks(run, 'encryption')).toBe('');
  });

  it('say that nobody compared them', () => {
    expect(describeClocks(runOf({}, { latency: values }), 'latency')).toContain('not compared');
  });
});

describe('a run without any distribution', () => {
  it('says why', () => {
    const whyOf = (workload: string, failure: object | null = null) =>
      whyNoDistribution({ failure, treatment: { spec: { workload } } } as unknown as RunDetail);
    expect(whyOf('stream')).toContain('stamp');
    expect(whyOf('states')).toContain('counts bytes');
    expect(whyOf('stream', { code: 'tls-handshake' })).toContain('failed');
  });
});
