import { poll } from '@mqttlab/shared/kit/poll';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeTestSpec } from '../../testing/specs.ts';
import { drainPollMs, makeDrainCheck } from './drain.ts';

afterEach(() => vi.restoreAllMocks());

/** A manual clock; other code in this process reads it too. */
function stopClock(): { moveOn(ms: number): void } {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  return {
    moveOn: (ms) => {
      nowMs += ms;
    },
  };
}

const never = () => false;

const drain = (
  spec: Parameters<typeof makeDrainCheck>[0] & { drainTimeoutMs: number },
  progress: Parameters<typeof makeDrainCheck>[1],
) => poll(makeDrainCheck(spec, progress), { everyMs: drainPollMs, timeoutMs: spec.drainTimeoutMs });

const { impairment: sound } = makeTestSpec();
const lossy = { ...sound, lossPercent: 4 };

describe('a drain', () => {
  it('continues while messages arrive, and ends when none do', async () => {
    const clock = stopClock();
    let polls = 0;
    // Messages arrive at 60 polls in a row, far longer than the 5 s of silence that end the drain.
    const seen = () => {
      clock.moveOn(200);
      polls += 1;
      return Math.min(polls, 60);
    };
    await drain(
      { qos: 2, drainTimeoutMs: 600_000, impairment: sound },
      { expected: 1000, complete: never, seen },
    );
    expect(polls).toBeGreaterThanOrEqual(60 + 25);
    expect(polls).toBeLessThan(60 + 30);
  });

  it.each([
    { qos: 0, what: 'a sound link', impairment: sound, polls: 10 },
    { qos: 1, what: 'a sound link', impairment: sound, polls: 50 },
    { qos: 0, what: 'a link that loses packets, which TCP repeats', impairment: lossy, polls: 150 },
    { qos: 1, what: 'a link that loses packets, which TCP repeats', impairment: lossy, polls: 150 },
  ] as const)(
    'at QoS $qos waits as long as messages may arrive over $what',
    async ({ qos, impairment, polls }) => {
      const clock = stopClock();
      const seen = vi.fn(() => {
        clock.moveOn(100);
        return 7;
      });
      await drain({ qos, drainTimeoutMs: 600_000, impairment }, { expected: 8, complete: never, seen });
      expect(seen.mock.calls.length).toBeGreaterThanOrEqual(polls);
      expect(seen.mock.calls.length).toBeLessThanOrEqual(polls + 4);
    },
  );

  it('ends immediately when complete, and after its timeout at the latest', async () => {
    const clock = stopClock();
    // NaN: always in progress.
    const seen = vi.fn(() => {
      clock.moveOn(100);
      return Number.NaN;
    });
    await drain(
      { qos: 1, drainTimeoutMs: 600_000, impairment: sound },
      { expected: 1, complete: () => true, seen },
    );
    expect(seen).toHaveBeenCalledTimes(1);
    await drain(
      { qos: 1, drainTimeoutMs: 20_000, impairment: sound },
      { expected: 1, complete: never, seen },
    );
    expect(seen.mock.calls.length).toBeGreaterThanOrEqual(1 + 199);
    expect(seen.mock.calls.length).toBeLessThanOrEqual(1 + 202);
  });
});
