import { abuseLimits } from '@mqttlab/shared/domain/plans/trial-levels';
import { describe, expect, it } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { checkAbuseBounds } from './abuse-bounds.ts';
import { makeAvailabilitySpec } from './testing/availability-spec.ts';
import { playTrial } from './testing/play-trial.ts';

describe('availability', () => {
  it.each([
    ['an external broker', { broker: 'external' }],
    ['a broker without configurable limits', { broker: 'embedded' }],
    ['too many connections', { abusers: abuseLimits.connections + 1 }],
    ['too long a time', { measureMs: abuseLimits.measureMs + 1 }],
    ['too much memory', { abuseMemoryBytes: abuseLimits.memoryBytes + 1 }],
  ] as const)('is refused for %s', async (_what, change) => {
    expect(() => checkAbuseBounds(makeAvailabilitySpec(change))).toThrow(
      expect.objectContaining({ code: 'abuse-refused' }),
    );
    // The load itself also refuses, before it opens a connection.
    await expect(playTrial({ spec: makeAvailabilitySpec(change), port: 1 })).rejects.toMatchObject({
      report: { code: 'abuse-refused' },
    });
  });

  it('does not apply to other workloads', () => {
    expect(() => checkAbuseBounds(makeTestSpec({ broker: 'external' }))).not.toThrow();
  });
});
