import { abuseLimits, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { describe, expect, it } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { checkAbuseBounds } from './abuse-bounds.ts';
import { startOfferedBroker } from './testing/offered-broker.ts';
import { type PlayedTrial, playTrial } from './testing/play-trial.ts';

function makeSpec(change: Partial<TrialSpec>): TrialSpec {
  return makeTestSpec({
    mqttVersion: '5.0',
    broker: 'mosquitto',
    workload: 'availability',
    warmUpMs: 600,
    measureMs: 2_500,
    drainTimeoutMs: 5_000,
    topic: 'availability',
    ...change,
  });
}

async function play(change: Partial<TrialSpec>): Promise<PlayedTrial> {
  const spec = makeSpec(change);
  const port = await startOfferedBroker('mosquitto', { spec });
  return playTrial({ spec, port });
}

function probesOf({ subscriber }: PlayedTrial): { before: number[]; lastSecond: number[] } {
  const { timesMs = [], values = [] } =
    subscriber.series?.find(({ metric }) => metric === 'probe.reached') ?? {};
  const within = (from: number, to: number) =>
    values.filter((_, i) => timesMs[i]! >= from && timesMs[i]! < to).map(Number);
  return { before: within(-600, 0), lastSecond: within(1_500, 2_500) };
}

describe('availability', { timeout: 60_000 }, () => {
  // Mosquitto looks at its limit of 500 when it accepts: some more may be on their way by then.
  it.each([
    ['as published', 600, 1],
    ['hardened', 500, 0],
  ] as const)('holders of silent connections against a broker %s', async (brokerHardening, held, reached) => {
    const trial = await play({ abuse: 'slow keep-alive', abusers: 600, brokerHardening });
    expect(trial.troubles).toEqual([]);
    expect(trial.publisher.degraded).toEqual([]);
    const { connectionsHeld = 0, connectionsFailed = 0 } = trial.publisher.counters ?? {};
    expect(Math.abs(connectionsHeld - held)).toBeLessThanOrEqual(reached === 1 ? 0 : 30);
    expect(connectionsHeld + connectionsFailed).toBe(600);
    const { before, lastSecond } = probesOf(trial);
    expect(before.every((value) => value === 1)).toBe(true);
    expect(lastSecond.length).toBeGreaterThan(3);
    expect(lastSecond.every((value) => value === reached)).toBe(true);
    const probes = trial.subscriber.counters;
    expect((probes?.connectionsFailed ?? 0) > 0).toBe(reached === 0);
  });

  it('sessions that never expire, with messages for clients that never come back', async () => {
    const trial = await play({
      abuse: 'persistent sessions',
      abusers: 40,
      queuedMessages: 5,
      readingBytes: 500,
    });
    expect(trial.troubles).toEqual([]);
    expect(trial.publisher.facts).toMatchObject({ 'abuse.sessions': 40, 'abuse.queuedMessages': 200 });
    expect(trial.publisher.counters?.connectionsHeld).toBe(40);
    expect(trial.subscriber.counters?.connectionsFailed).toBe(0);
    expect(trial.subscriber.histograms['phase.set-up']?.count).toBeGreaterThan(5);
  });

  it.each([
    ['a broker that somebody else runs', { broker: 'external' }],
    ['one without limits to set', { broker: 'embedded' }],
    ['too many connections', { abusers: abuseLimits.connections + 1 }],
    ['too long a time', { measureMs: abuseLimits.measureMs + 1 }],
    ['too much memory', { abuseMemoryBytes: abuseLimits.memoryBytes + 1 }],
  ] as const)('is refused for %s', async (_what, change) => {
    expect(() => checkAbuseBounds(makeSpec(change))).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'abuse-refused' }) }),
    );
    // The load itself refuses too, before it opens a connection.
    await expect(playTrial({ spec: makeSpec(change), port: 1 })).rejects.toMatchObject({
      failure: { code: 'abuse-refused' },
    });
  });

  it('is not asked of other workloads', () => {
    expect(() => checkAbuseBounds(makeTestSpec({ broker: 'external' }))).not.toThrow();
  });
});
