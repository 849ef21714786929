import { describe, expect, it } from 'vitest';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunEvidence } from '../../domain/runs/verdict.ts';
import { makeEvidence, makeSeries } from '../../testing/evidence.ts';
import { makeHistogram, makeThroughput } from '../../testing/factories.ts';
import { summariseMetrics } from '../metrics.ts';
import { judgeRun } from '../verdicts.ts';
import { isComplete, latencyBoundUs, nameOf, resultOf } from './evidence.ts';
import { mergeResults } from './merge-results.ts';

const one = makeEvidence();
const ofRole = (role: RoleResult['role']) => {
  const result = resultOf(one, role);
  if (result === undefined) throw new Error(`no ${role}`);
  return result;
};

/** The publisher of the valid run twice, as two devices, and one subscriber that receives from both. */
function makeTwoPublishers(change: Partial<RoleResult> = {}): RunEvidence {
  const publisher = ofRole('publisher');
  const subscriber = ofRole('subscriber');
  return {
    spec: { ...one.spec, publishers: 2 },
    results: [
      ofRole('broker'),
      { ...publisher, device: 'pi-2', share: { index: 0, of: 2 } },
      { ...publisher, device: 'pi-3', share: { index: 1, of: 2 }, ...change },
      {
        ...subscriber,
        counters: subscriber.counters && { ...subscriber.counters, received: 2000 },
        throughput: makeThroughput({ arrived: { firstHalf: 1000, secondHalf: 1000, payloadBytes: 200_000 } }),
        latency: makeHistogram(Array.from({ length: 2000 }, () => 2000)),
      },
    ],
  };
}

const worded = (evidence: RunEvidence, id: string) => judgeRun(evidence).find((verdict) => verdict.id === id);

describe('several devices of one role', () => {
  it('add up what they counted and keep their own levels', () => {
    const two = makeTwoPublishers();
    const [alone, together] = [summariseMetrics(one), summariseMetrics(two)];
    expect(together['count.sent']).toBe(2000);
    expect(together['count.lost']).toBe(0);
    expect(together['rate.messages']).toBe(2 * (alone['rate.messages'] ?? 0));
    expect(together['wire.perMessage']).toBe(alone['wire.perMessage']);
    for (const id of ['cpu.publisher', 'cpuPerMessage.publisher', 'cpuDevice.publisher', 'setUp.total']) {
      expect(together[id], id).toBeCloseTo(alone[id] ?? Number.NaN, 9);
    }
    expect(together['latency.p50']).toBe(alone['latency.p50']);
    expect(worded(two, 'nothing-lost')?.status).toBe('passed');
    expect(judgeRun(two).filter(({ status }) => status === 'failed')).toEqual([]);
  });

  it('merge lateness: what one of them did late shows in the quantiles', () => {
    const lateness = makeHistogram(Array.from({ length: 1000 }, () => 20_000));
    const verdict = worded(makeTwoPublishers({ lateness }), 'kept-schedule');
    expect(verdict).toMatchObject({ status: 'failed' });
    expect(resultOf(makeTwoPublishers({ lateness }), 'publisher')?.lateness?.count).toBe(2000);
  });

  it('lose messages together: a message that one sent and no subscriber received is lost', () => {
    const counters = ofRole('publisher').counters;
    const two = makeTwoPublishers({
      counters: counters && { ...counters, sent: 1500, acknowledged: 1500 },
      throughput: makeThroughput({ sent: { firstHalf: 750, secondHalf: 750 } }),
    });
    expect(summariseMetrics(two)['count.lost']).toBe(500);
    expect(worded(two, 'nothing-lost')?.status).toBe('failed');
    expect(worded(two, 'backlog-steady')?.status).toBe('failed');
  });

  it('are named where one of them is the reason', () => {
    const two = makeTwoPublishers({
      degraded: [{ collector: 'cpu', reason: 'it went away' }],
      series: [makeSeries('cpu.process', [60, 60, 60, 60, 5, 5, 5, 5, 5, 5])],
    });
    expect(worded(two, 'collectors-worked')?.evidence).toBe('publisher pi-3: cpu, it went away');
    expect(worded(two, 'warm-up-long-enough')?.evidence).toContain('publisher CPU of publisher pi-3');
    expect(two.results.map(nameOf)).toEqual(['broker', 'publisher pi-2', 'publisher pi-3', 'subscriber']);
  });

  it('are as good as the worst pair of clocks', () => {
    const environment = { ...ofRole('publisher').environment, 'device.bootId': 'another' };
    const offset = { offsetUs: 5000, uncertaintyUs: 700 };
    const other = { environment, clock: { before: offset, after: offset } };
    expect(latencyBoundUs(makeTwoPublishers())).toBe(0);
    expect(latencyBoundUs(makeTwoPublishers(other))).toBe(700);
    expect(latencyBoundUs(makeTwoPublishers({ environment, clock: null }))).toBeNull();
  });

  it('are complete only when each of them has delivered', () => {
    const two = makeTwoPublishers();
    const took = two.results.map(({ role }) => role);
    expect(isComplete(two.results, took)).toBe(true);
    expect(isComplete(two.results.slice(0, 2), took)).toBe(false);
    expect(
      isComplete(
        two.results.filter(({ device }) => device !== 'pi-3'),
        took,
      ),
    ).toBe(false);
    expect(isComplete(one.results, [...took, 'bridge'])).toBe(false);
    expect(isComplete(one.results, [])).toBe(true);
    expect(isComplete(one.results.slice(1), [])).toBe(false);
  });

  it('that are one need no merging', () => {
    const publisher = ofRole('publisher');
    expect(mergeResults([publisher])).toBe(publisher);
    expect(mergeResults([])).toBeUndefined();
  });
});
