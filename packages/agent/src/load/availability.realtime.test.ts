import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { describe, expect, it } from 'vitest';
import { makeAvailabilitySpec } from './testing/availability-spec.ts';
import { startOfferedBroker } from './testing/offered-broker.ts';
import { type PlayedTrial, playTrial } from './testing/play-trial.ts';

async function play(change: Partial<TrialSpec>): Promise<PlayedTrial> {
  const spec = makeAvailabilitySpec(change);
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

describe('availability', () => {
  // Mosquitto checks its limit of 500 when it accepts: some more may be pending by then.
  it.each([
    ['as published', 600, 1],
    ['hardened', 500, 0],
  ] as const)('holders of silent connections against a broker %s', async (brokerHardening, held, reached) => {
    const trial = await play({ abuse: 'slow keep-alive', abusers: 600, brokerHardening });
    expect(trial.failures).toEqual([]);
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

  it('sessions that never expire, with messages for clients that never return', async () => {
    const trial = await play({
      abuse: 'persistent sessions',
      abusers: 40,
      queuedMessages: 5,
      readingBytes: 500,
    });
    expect(trial.failures).toEqual([]);
    expect(trial.publisher.facts).toMatchObject({ 'abuse.sessions': 40, 'abuse.queuedMessages': 200 });
    expect(trial.publisher.counters?.connectionsHeld).toBe(40);
    expect(trial.subscriber.counters?.connectionsFailed).toBe(0);
    expect(trial.subscriber.histograms['phase.set-up']?.count).toBeGreaterThan(5);
  });
});
