import { describe, expect, it } from 'vitest';
import type { ClockOffset } from '../../domain/runs/role-result.ts';
import { changeRole, makeEvidence } from '../../testing/evidence.ts';
import { makeCounters, makeHistogram } from '../../testing/factories.ts';
import { summariseMetrics } from '../metrics.ts';
import { judgeRun } from '../verdicts.ts';
import { deviceBoundUs, expectedDeliveries, latencyBoundUs, latencyKind, latencyOf } from './evidence.ts';

const offset = (offsetUs: number, uncertaintyUs: number): ClockOffset => ({ offsetUs, uncertaintyUs });
const roundTrip = makeHistogram(Array.from({ length: 1000 }, () => 3500));

/** One-way median 2 ms. */
const apart = (uncertaintyUs: number) => {
  const own = makeEvidence();
  const [, publisher] = own.results;
  return changeRole(own, 'publisher', {
    environment: { ...publisher?.environment, 'device.bootId': 'boot-2' },
    clock: { before: offset(1e6, uncertaintyUs), after: offset(1e6, uncertaintyUs) },
    histograms: { roundTrip },
  });
};

describe('the bound of a clock', () => {
  it.each([
    ['alone, when the device was gone afterwards', { before: offset(0, 40), after: null }, 40],
    ['by the worse exchange', { before: offset(0, 40), after: offset(0, 60) }, 60],
    ['with the drift in between', { before: offset(100, 40), after: offset(-50, 10) }, 160],
  ])('%s', (_how, clock, boundUs) => {
    expect(deviceBoundUs(clock)).toBe(boundUs);
  });

  it('is 0 on one kernel, and that of both devices together otherwise', () => {
    expect(latencyBoundUs(makeEvidence())).toBe(0);
    expect(latencyBoundUs(apart(70))).toBe(70);
    expect(latencyBoundUs({ ...makeEvidence(), results: [] })).toBeNull();
  });

  it('is not 0 on one kernel when its two devices were given two offsets', () => {
    const clock = { before: offset(7, 30), after: null };
    expect(latencyBoundUs(changeRole(makeEvidence(), 'publisher', { clock }))).toBe(30);
  });
});

it('messages with a reused identifier arrived, and are not lost', () => {
  const expected = expectedDeliveries(makeEvidence()) ?? 0;
  expect(expected).toBeGreaterThan(10);
  const lostOf = (identifierReused: number) => {
    const counters = makeCounters({ received: expected - 10, identifierReused });
    return summariseMetrics(changeRole(makeEvidence(), 'subscriber', { counters }))['count.lost'];
  };
  expect([lostOf(0), lostOf(7), lostOf(10)]).toEqual([10, 3, 0]);
});

describe('latency', () => {
  it('is one-way up to a bound of a tenth of the median, else round-trip', () => {
    expect([latencyKind(apart(190)), latencyKind(apart(210))]).toEqual(['one-way', 'round-trip']);
    expect(latencyOf(apart(210))).toBe(roundTrip);
  });

  it('of every metric and verdict is the one that was chosen', () => {
    expect(summariseMetrics(apart(190))['latency.p50']).toBeCloseTo(2, 1);
    expect(summariseMetrics(apart(210))).toMatchObject({
      'latency.p50': expect.closeTo(3.5, 1),
      'clock.uncertainty': 0.21,
    });
    const verdict = judgeRun(apart(210)).find(({ id }) => id === 'clock-good-enough');
    expect(verdict).toMatchObject({
      status: 'passed',
      evidence: expect.stringContaining('using round-trip latency'),
    });
  });

  it('stays one-way, and untrusted, where nothing came back', () => {
    const evidence = changeRole(apart(500), 'publisher', { histograms: {} });
    expect(latencyKind(evidence)).toBe('one-way');
    expect(latencyKind({ ...evidence, results: [] })).toBeNull();
  });
});
