import { describe, expect, it } from 'vitest';
import { workloadKinds } from '../domain/plans/workload.ts';
import { makeDraft, makeTestbed, makeWorkload } from '../testing/factories.ts';
import { expectedMessages, offeredBitsPerSecond } from './estimate.ts';
import { parsePlan } from './parse-plan.ts';

function planOf(
  workload: Parameters<typeof makeWorkload>[0],
  factors: Record<string, (string | number)[]> = {},
) {
  return parsePlan(makeDraft({ workload: makeWorkload(workload), factors }), makeTestbed());
}

function issuesOf(...input: Parameters<typeof planOf>) {
  const parsed = planOf(...input);
  return parsed.ok ? [] : parsed.issues;
}

describe.each(workloadKinds)('a plan for the workload %s', (kind) => {
  it('is made, with the kind in every specification', () => {
    const parsed = planOf({ kind, connections: 7, burstOnMs: 300, burstOffMs: 200 });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    expect(parsed.plan.excluded).toEqual([]);
    for (const { spec } of parsed.plan.treatments) {
      expect(spec).toMatchObject({ workload: kind, connections: 7, burstOnMs: 300, burstOffMs: 200 });
    }
  });

  it('counts levels that mean nothing to it once', () => {
    const levels = { security: ['plain'], rate: [100, 200], readingBytes: [100], qos: [0, 1] };
    const parsed = planOf({ kind }, levels);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    const expected = { stream: 4, burst: 4, reconnect: 4, handshake: 1, states: 2, availability: 1 };
    expect(parsed.plan.treatments).toHaveLength(expected[kind]);
  });

  it('knows its messages', () => {
    const parsed = planOf({ kind, measureMs: 10_000, burstOnMs: 300, burstOffMs: 200 }, { rate: [100] });
    const treatment = parsed.ok ? parsed.plan.treatments[0] : undefined;
    if (treatment === undefined) throw new Error('no treatment');
    const expected = { stream: 1000, burst: 600, reconnect: 1000, handshake: 0, states: 0, availability: 0 };
    expect(expectedMessages(treatment)).toBe(expected[kind]);
    expect(offeredBitsPerSecond(treatment)).toBe(expected[kind] === 0 ? 0 : 80_000);
  });
});

describe('bad input', () => {
  it.each([
    [{ connections: 0 }, 'workload.connections', /1 to 100,000/],
    [{ connections: 1.5 }, 'workload.connections', /1 to 100,000/],
    [{ connections: 1e6 }, 'workload.connections', /1 to 100,000/],
    [{ burstOnMs: 0 }, 'workload.burstOnMs', /1 to 3,600,000 ms/],
    [{ burstOffMs: -1 }, 'workload.burstOffMs', /0 to 3,600,000 ms/],
  ])('%o is refused with its field and remedy', (change, field, remedy) => {
    expect(issuesOf(change)).toMatchObject([{ field, remedy: expect.stringMatching(remedy) }]);
  });

  it('refuses bursts that are shorter than a message, and says how long they must be', () => {
    const levels = { rate: [10, 100], readingsPerMessage: [1, 20] };
    expect(issuesOf({ kind: 'burst', burstOnMs: 500 }, levels)).toMatchObject([
      { field: 'workload.burstOnMs', remedy: expect.stringContaining('at least 2000 ms') },
    ]);
    expect(issuesOf({ kind: 'burst', burstOnMs: 2000 }, levels)).toEqual([]);
    expect(issuesOf({ kind: 'stream', burstOnMs: 500 }, levels)).toEqual([]);
  });

  it('refuses bursts without a rate', () => {
    expect(issuesOf({ kind: 'burst' }, { rate: [100, 'max'] })).toMatchObject([{ field: 'factors.rate[1]' }]);
  });
});

describe('subscriptions and transports', () => {
  it('share only over MQTT 5, and among more than one', () => {
    const parsed = planOf(
      { kind: 'stream' },
      {
        security: ['plain'],
        mqttVersion: ['3.1.1', '5.0'],
        subscribers: [1, 3],
        sharedSubscription: ['each gets all', 'shared'],
      },
    );
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    const shared = parsed.plan.treatments.filter(({ spec }) => spec.sharedSubscription);
    expect(shared.map(({ spec }) => [spec.mqttVersion, spec.subscribers])).toEqual([['5.0', 3]]);
    expect(parsed.plan.treatments).toHaveLength(5);
    expect(parsed.plan.excluded).toMatchObject([
      { reasons: [{ factor: 'sharedSubscription', reason: 'MQTT 3.1.1 has no shared subscriptions' }] },
    ]);
  });

  it('excludes a transport that the broker does not listen for, with the reason', () => {
    const testbed = makeTestbed();
    for (const { capabilities } of testbed.devices) {
      for (const broker of capabilities?.brokers ?? []) broker.transports = ['tcp'];
    }
    const draft = makeDraft({ factors: { security: ['plain'], transport: ['tcp', 'websocket'] } });
    const parsed = parsePlan(draft, testbed);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    expect(parsed.plan.treatments.map(({ spec }) => spec.transport)).toEqual(['tcp']);
    expect(parsed.plan.excluded[0]?.reasons[0]?.reason).toMatch(/does not support WebSocket/);
    expect(parsed.plan.excluded[0]?.label).toBe('WebSocket');
  });

  it('names impossible combinations by the levels that distinguish them', () => {
    const testbed = makeTestbed();
    for (const { capabilities } of testbed.devices) {
      for (const broker of capabilities?.brokers ?? []) broker.transports = ['tcp'];
    }
    const factors = { security: ['plain', 'TLS 1.3'], transport: ['tcp', 'websocket'], qos: [0, 1] };
    const parsed = parsePlan(makeDraft({ factors }), testbed);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    expect(parsed.plan.excluded.map(({ label }) => label)).toEqual(
      ['Plain', 'TLS 1.3'].flatMap((secured) => [0, 1].map((qos) => `${secured} · QoS ${qos} · WebSocket`)),
    );
  });
});
