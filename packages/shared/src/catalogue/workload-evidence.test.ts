import { describe, expect, it } from 'vitest';
import { workloadKinds } from '../domain/plans/workload.ts';
import type { RunEvidence } from '../domain/runs/verdict.ts';
import { changeRole, makeEvidence } from '../testing/evidence.ts';
import { makeCounters, makeHistogram, makeTrialSpec } from '../testing/factories.ts';
import { summariseMetrics } from './metrics.ts';
import { judgeRun } from './verdicts.ts';

const nothingArrived = { counters: makeCounters(), latency: null };

/** 200 connections in the 10 s of the measure phase. */
function ofConnections(workload: 'handshake' | 'reconnect'): RunEvidence {
  const us = Array.from({ length: 200 }, (_, i) => 1000 + 10 * i);
  const evidence = changeRole(makeEvidence(), 'publisher', {
    counters: makeCounters({ connectionsOpened: 200, connectionsFailed: 2 }),
    lateness: null,
    histograms: {
      'phase.tcp': makeHistogram(us.map((value) => value / 10)),
      'phase.tls': makeHistogram(us),
      'phase.connect': makeHistogram(us.map((value) => value / 5)),
      'phase.set-up': makeHistogram(us.map((value) => value * 1.3)),
    },
  });
  return { ...changeRole(evidence, 'subscriber', nothingArrived), spec: makeTrialSpec({ workload }) };
}

function ofStates(): RunEvidence {
  const evidence = changeRole(makeEvidence(), 'publisher', {
    counters: makeCounters({ connectionsOpened: 9 }),
    lateness: null,
    states: [
      { state: 'CON', bytesSent: 40, bytesReceived: 20, frameBytes: 500, frames: 7 },
      { state: 'DISC', bytesSent: 2, bytesReceived: 0, frameBytes: null, frames: null },
    ],
  });
  const spec = makeTrialSpec({ workload: 'states' });
  return { ...changeRole(evidence, 'subscriber', nothingArrived), spec };
}

describe('metrics of connections', () => {
  it('are computed from the distribution over connections', () => {
    expect(summariseMetrics(ofConnections('handshake'))).toMatchObject({
      'rate.connections': 20,
      'connection.tls.p50': expect.closeTo(2, 1),
      'connection.tls.p95': expect.closeTo(2.9, 1),
      'connection.setUp.p50': expect.closeTo(2.6, 1),
      'cpuPerConnection.publisher': 2500,
      'cpuPerConnection.broker': 2500,
      'wire.perConnection': 800,
      'count.connectionsOpened': 200,
      'count.connectionsFailed': 2,
      // The mean over all of them, not over the one that is kept.
      'setUp.tls': expect.closeTo(1.995, 3),
      // No messages are sent: that is no rate of 0.
      'latency.p50': null,
      'rate.messages': null,
      'rate.readings': null,
      'rate.goodput': null,
    });
  });

  it('say nothing of speed where the workload rests between its steps', () => {
    const found = summariseMetrics(ofStates());
    expect(found).toMatchObject({ 'state.CON.bytes': 60, 'count.connectionsOpened': 9 });
    for (const id of [
      'rate.connections',
      'cpuPerConnection.publisher',
      'cpuPerConnection.broker',
      'wire.perConnection',
      'energyPerHandshake.total',
    ]) {
      expect(found[id], id).toBeNull();
    }
  });

  it('count the bytes of connections that were still open when measuring ended', () => {
    const evidence = ofConnections('reconnect');
    const phases = evidence.results.find(({ role }) => role === 'publisher')?.phases ?? [];
    const measure = phases.find(({ phase }) => phase === 'measure');
    if (!measure) throw new Error('nothing was measured');
    const drain = { ...measure, phase: 'drain', bytesSent: 6_000, bytesReceived: 4_000 } as const;
    const whole = changeRole(evidence, 'publisher', { phases: [...phases, drain] });
    expect(summariseMetrics(whole)['wire.perConnection']).toBe(850);
  });

  it('are null if connections are kept, or too few', () => {
    const kept = summariseMetrics(makeEvidence());
    for (const id of [
      'rate.connections',
      'connection.tls.p50',
      'count.connectionsFailed',
      'state.CON.bytes',
    ]) {
      expect(kept[id], id).toBeNull();
    }
    const few = changeRole(ofConnections('handshake'), 'publisher', {
      histograms: { 'phase.tls': makeHistogram([5, 6, 7]) },
    });
    expect(summariseMetrics(few)['connection.tls.p50']).toBeNull();
  });

  it('tell the bytes to reach each state, and nothing where the kernel did not', () => {
    expect(summariseMetrics(ofStates())).toMatchObject({
      'state.CON.bytes': 60,
      'state.CON.frameBytes': 500,
      'state.DISC.bytes': 2,
      'state.DISC.frameBytes': null,
      'state.SUB.bytes': null,
    });
  });
});

describe('reading age', () => {
  it('is read from its own distribution', () => {
    const readingAge = makeHistogram(Array.from({ length: 400 }, (_, i) => 1000 * (i + 1)));
    const evidence = changeRole(makeEvidence(), 'subscriber', { histograms: { readingAge } });
    expect(summariseMetrics(evidence)).toMatchObject({
      'readingAge.mean': expect.closeTo(200.5, 1),
      'readingAge.p50': expect.closeTo(200, 0),
      'readingAge.p95': expect.closeTo(380, 0),
    });
    expect(summariseMetrics(makeEvidence())['readingAge.p50']).toBeNull();
  });
});

describe('verdicts', () => {
  const statusOf = (evidence: RunEvidence, id: string) =>
    judgeRun(evidence).find((one) => one.id === id)?.status;

  it('about messages do not apply where there are none', () => {
    for (const evidence of [ofConnections('handshake'), ofStates()]) {
      expect(statusOf(evidence, 'nothing-lost')).toBe('not applicable');
      expect(statusOf(evidence, 'kept-schedule')).toBe('not applicable');
      expect(judgeRun(evidence).filter(({ status }) => status === 'failed')).toEqual([]);
    }
    expect(statusOf(ofConnections('reconnect'), 'kept-schedule')).toBe('failed');
  });

  it('ask for enough connections instead', () => {
    expect(statusOf(ofConnections('handshake'), 'enough-messages')).toBe('passed');
    expect(statusOf(ofStates(), 'enough-messages')).toBe('not applicable');
    const none = { counters: makeCounters(), histograms: {} };
    expect(statusOf(changeRole(ofStates(), 'publisher', none), 'enough-messages')).toBe('failed');
    expect(statusOf(changeRole(ofConnections('handshake'), 'publisher', none), 'enough-messages')).toBe(
      'failed',
    );
  });

  it('judge every kind of workload by something', () => {
    for (const workload of workloadKinds) {
      const judged = judgeRun({ ...makeEvidence(), spec: makeTrialSpec({ workload }) });
      expect(
        judged.some(({ status }) => status === 'passed'),
        workload,
      ).toBe(true);
    }
  });
});
