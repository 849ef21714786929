import { describe, expect, it } from 'vitest';
import { noImpairment } from '../../domain/plans/impairment.ts';
import type { TrialSpec } from '../../domain/plans/trial-spec.ts';
import { roleResultSchema } from '../../domain/runs/role-result.ts';
import type { RunEvidence } from '../../domain/runs/verdict.ts';
import { changeRole, makeEvidence } from '../../testing/evidence.ts';
import { makeCounters, makeThroughput, makeTrialSpec } from '../../testing/factories.ts';
import { summariseMetrics } from '../metrics.ts';
import { judgeRun } from '../verdicts.ts';
import { mergeThroughput } from './merge-results.ts';

type Change = Parameters<typeof makeThroughput>[0] & { spec?: Partial<TrialSpec>; received?: number };

/** 1,000 sent in 10 s, of which so many arrived meanwhile. */
function evidenceOf({ sent = {}, arrived = {}, spec = {}, received = 1000 }: Change): RunEvidence {
  const evidence = { ...makeEvidence(), spec: makeTrialSpec(spec) };
  const publishing = changeRole(evidence, 'publisher', { throughput: makeThroughput({ sent }) });
  const counters = makeCounters({ received, payloadBytesReceived: 100 * received });
  return changeRole(publishing, 'subscriber', { counters, throughput: makeThroughput({ arrived }) });
}

const verdict = (change: Change, id: string) => judgeRun(evidenceOf(change)).find((one) => one.id === id);

describe('throughput', () => {
  const half = { firstHalf: 250, secondHalf: 250, payloadBytes: 50_000 };

  it('is what arrived while measuring, over the time of measuring, at full speed as on a schedule', () => {
    for (const readingsPerSecond of [100, null]) {
      const spec = { readingsPerSecond, readingsPerMessage: 4, readingBytes: 25 };
      expect(summariseMetrics(evidenceOf({ arrived: half, spec }))).toMatchObject({
        'rate.messages': 50,
        'rate.readings': 200,
        'rate.goodput': 40_000,
        'count.received': 1000,
      });
    }
  });

  it('of a stream that ends after so many messages goes from the first arrival to the last', () => {
    const arrived = { ...half, firstUs: 1e6, lastUs: 6e6, atFirst: 200 };
    const spec = { messages: 1000, measureMs: 60_000 };
    expect(summariseMetrics(evidenceOf({ arrived, spec }))).toMatchObject({
      'rate.messages': 160,
      'rate.goodput': 128_000,
    });
    const never = { firstHalf: 0, secondHalf: 0, payloadBytes: 0, firstUs: null, lastUs: null, atFirst: 0 };
    expect(summariseMetrics(evidenceOf({ arrived: never, spec, received: 0 }))['rate.messages']).toBeNull();
  });

  it('divides CPU time and energy by the messages handled in that time', () => {
    const fast = { sent: { firstHalf: 900, secondHalf: 900, afterwards: 200 }, arrived: half };
    const metrics = summariseMetrics(evidenceOf({ ...fast, spec: { subscribers: 2 } }));
    // 0.5 s of CPU time each.
    expect(metrics['cpuPerMessage.publisher']).toBeCloseTo(5e5 / 1800, 6);
    expect(metrics['cpuPerMessage.subscriber']).toBeCloseTo(1000, 6);
    expect(metrics['cpuPerMessage.broker']).toBeCloseTo(2000, 6);
    expect(metrics['wire.perMessage']).toBeCloseTo(160_000 / 2000, 6);
    expect(metrics['wire.overhead']).toBeCloseTo(150_000 / 180_000, 6);
  });

  it('of answers to CoAP requests is counted where they arrive', () => {
    const counters = makeCounters({ sent: 1000, acknowledged: 1000 });
    const throughput = makeThroughput({ sent: {}, arrived: { ...half, firstHalf: 300 } });
    const spec = makeTrialSpec({ applicationProtocol: 'coap confirmable' });
    const evidence = changeRole({ ...makeEvidence(), spec }, 'publisher', { counters, throughput });
    expect(summariseMetrics(evidence)['rate.messages']).toBe(55);
    expect(summariseMetrics(evidence)['cpuPerMessage.broker']).toBeCloseTo(5e5 / 550, 6);
  });

  it('in runs of before is what they had counted', () => {
    const old = makeEvidence();
    for (const result of old.results) {
      const { throughput: _, ...stored } = result;
      expect(roleResultSchema.parse(stored).throughput).toBeNull();
    }
    const results = old.results.map((result) => ({ ...result, throughput: null }));
    expect(summariseMetrics({ ...old, results })).toMatchObject({
      'rate.messages': 100,
      'rate.goodput': 80_000,
      'cpuPerMessage.broker': 500,
      'cpuPerMessage.subscriber': 500,
    });
    const judged = judgeRun({ ...old, results });
    expect(judged.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(judged.find(({ id }) => id === 'kept-arriving')?.status).toBe('not applicable');
  });

  it('of several devices is added up, from the first of them to the last', () => {
    const one = makeThroughput({ arrived: { firstUs: 500, atFirst: 3, longestSilenceUs: 9000 } });
    const other = makeThroughput({ arrived: { lastUs: 1.1e7 } });
    expect(mergeThroughput([one, other])?.arrived).toEqual({
      firstHalf: 1000,
      secondHalf: 1000,
      payloadBytes: 200_000,
      longestSilenceUs: 11_000,
      firstUs: 500,
      lastUs: 1.1e7,
      atFirst: 3,
    });
    const publishers = [makeThroughput({ sent: {} }), makeThroughput({ sent: { afterwards: 7 } })];
    expect(mergeThroughput(publishers)).toMatchObject({
      sent: { firstHalf: 1000, secondHalf: 1000, afterwards: 7 },
      arrived: null,
    });
    // What one of them did not count is not known of all.
    expect(mergeThroughput([one, null])).toBeNull();
    expect(mergeThroughput([])).toBeNull();
  });
});

describe('verdicts on throughput leave alone what is usual', () => {
  const passed = { status: 'passed' };

  it('as fast as possible: buffers that fill up, or a stall that is made good', () => {
    const spec = { readingsPerSecond: null };
    const filling = { firstHalf: 300, secondHalf: 495 };
    expect(verdict({ arrived: filling, spec }, 'backlog-steady')).toMatchObject(passed);
    expect(verdict({ arrived: { firstHalf: 600, secondHalf: 420 }, spec }, 'backlog-steady')).toMatchObject(
      passed,
    );
    const many = { ...spec, messages: 1000 };
    expect(verdict({ arrived: filling, spec: many }, 'backlog-steady')?.status).toBe('not applicable');
  });

  it('messages that are seldom due, and bursts', () => {
    const seldom = { firstHalf: 1, secondHalf: 1, longestSilenceUs: 4.9e6 };
    const sent = { firstHalf: 1, secondHalf: 1 };
    const spec = { readingsPerSecond: 0.2 };
    expect(verdict({ sent, arrived: seldom, spec }, 'kept-arriving')).toMatchObject(passed);
    expect(verdict({ sent, arrived: { ...seldom, firstHalf: 0 }, spec }, 'backlog-steady')).toMatchObject(
      passed,
    );
    const burst = { workload: 'burst', burstOnMs: 100, burstOffMs: 4000 } as const;
    expect(verdict({ arrived: { longestSilenceUs: 4.1e6 }, spec: burst }, 'kept-arriving')).toMatchObject(
      passed,
    );
    expect(verdict({ arrived: { secondHalf: 380 }, spec: burst }, 'backlog-steady')).toMatchObject(passed);
  });

  it('a link that holds everything back or loses on purpose', () => {
    const delayed = { impairment: { ...noImpairment, delayMs: 1000 } };
    const arrived = { firstHalf: 300, longestSilenceUs: 2e6 };
    expect(verdict({ arrived, spec: delayed }, 'kept-arriving')).toMatchObject(passed);
    expect(verdict({ arrived, spec: delayed }, 'backlog-steady')).toMatchObject(passed);
    const lossy = { impairment: { ...noImpairment, lossPercent: 5 } };
    expect(verdict({ arrived, spec: lossy }, 'kept-arriving')?.status).toBe('not applicable');
  });

  it('rejected messages that were altered on purpose, and messages lost at QoS 0', () => {
    const counters = makeCounters({ sent: 1000, altered: 500 });
    const arrived = { firstHalf: 250, secondHalf: 250 };
    const spec = { alterEvery: 2, payloadCipher: 'aes-256-gcm' };
    const evidence = evidenceOf({ arrived, spec, received: 500 });
    const altered = changeRole(evidence, 'publisher', { counters });
    expect(judgeRun(altered).find(({ id }) => id === 'backlog-steady')).toMatchObject(passed);
    const lossy = { arrived: { firstHalf: 440, secondHalf: 440 }, received: 880, spec: { qos: 0 as const } };
    expect(verdict(lossy, 'backlog-steady')).toMatchObject(passed);
    expect(verdict(lossy, 'little-lost')).toMatchObject({
      status: 'failed',
      evidence: '120 of 1000 never arrived, 12.0 %; limit 1 %',
    });
    expect(verdict({ ...lossy, received: 990 }, 'little-lost')).toMatchObject(passed);
  });

  it('payload that fits the limit of the link, which holds for each interface', () => {
    const limited = (rateMbit: number, topology: TrialSpec['topology'] = 'direct') =>
      verdict(
        { spec: { impairment: { ...noImpairment, rateMbit }, topology, subscribers: 2 } },
        'goodput-within-limit',
      );
    expect(limited(0.08)).toMatchObject(passed);
    expect(limited(0.07)).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('0.0800 Mbit/s of payload from the broker, limit 0.0735'),
    });
    // Behind a bridge each message leaves the limited broker once.
    expect(limited(0.04, 're-encrypting bridge')).toMatchObject(passed);
  });
});
