import { describe, expect, it } from 'vitest';
import type { Comparison } from '../domain/runs/comparison.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { isMeasured, usualResponse, usualSeries } from './run-values.ts';

function makeComparison(response: string, metrics: Record<string, number | null>): Comparison {
  const parsed = parsePlan(makeDraft(), makeTestbed());
  if (!parsed.ok) throw new Error('the tour is a plan');
  const [treatment] = parsed.plan.treatments;
  if (!treatment) throw new Error('it has treatments');
  const runs = [{ runId: 1, block: 1, flagged: true, metrics }];
  return {
    experiments: [{ id: 1, name: 'One', status: 'done', finishedAt: 0, response }],
    treatments: [{ id: '1~a', experimentId: 1, treatment, runs, latency: null, latencyWithFlagged: null }],
    flaggedRuns: 1,
    failedRuns: 0,
  };
}

describe('what a comparison shows first', () => {
  it('is what the plan asks about, where it was measured', () => {
    const handshakes = makeComparison('rate.connections', { 'rate.connections': 80, 'latency.p50': null });
    expect(usualResponse(handshakes)).toBe('rate.connections');
    expect(usualSeries(handshakes)).toEqual({ role: 'broker', metric: 'cpu.process' });
  });

  it('is who got in, where clients were kept out', () => {
    const abused = makeComparison('availability.reached', { 'availability.reached': 40 });
    expect(usualSeries(abused)).toEqual({ role: 'subscriber', metric: 'probe.reached' });
  });

  it('is latency where nothing that was asked about was measured', () => {
    const stream = makeComparison('energy.total', { 'energy.total': null, 'latency.p50': 2 });
    expect(isMeasured(stream, 'energy.total')).toBe(false);
    expect(usualResponse(stream)).toBe('latency.p50');
    expect(usualSeries(stream)).toEqual({ role: 'subscriber', metric: 'latency.p50' });
  });
});
