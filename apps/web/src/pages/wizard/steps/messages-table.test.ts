import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { countMessages, secondsFor } from './messages-table.tsx';

function treatmentsOf(factors: Record<string, (string | number)[]>, measureMs = 2500) {
  const draft = makeDraft();
  const parsed = parsePlan({ ...draft, factors, workload: { ...draft.workload, measureMs } }, makeTestbed());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.plan.treatments;
}

describe('countMessages', () => {
  it('returns the range over paced treatments and omits treatments without a rate', () => {
    const counts = countMessages(treatmentsOf({ rate: [100, 2000, 'max'], readingBytes: [100] }));
    expect(counts.messages).toEqual({ min: 250, max: 5000 });
    expect(counts.bitsPerSecond).toEqual({ min: 80_000, max: 1_600_000 });
    expect(counts).toMatchObject({ unpaced: 1, unstamped: 0 });
  });

  it('reports which quantiles they reach', () => {
    const { quantiles } = countMessages(treatmentsOf({ rate: [100, 2000] }));
    expect(quantiles.map(({ p, needed, reached }) => [p, needed, reached])).toEqual([
      [50, 20, 2],
      [95, 200, 2],
      [99, 1000, 1],
      [99.9, enoughFor(99.9), 0],
    ]);
  });

  it('returns the measure time needed for a missed quantile', () => {
    const { quantiles, messages } = countMessages(treatmentsOf({ rate: [100] }));
    const [, p95, p99] = quantiles;
    expect(p99 && secondsFor(p99, messages, 2500)).toBe(10);
    expect(p95 && secondsFor(p95, messages, 2500)).toBeNull();
  });

  it('counts payloads too small for a time stamp', () => {
    expect(countMessages(treatmentsOf({ readingBytes: [4, 20], readingsPerMessage: [1, 8] })).unstamped).toBe(
      1,
    );
  });
});
