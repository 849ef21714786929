import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { makeHistogram } from '@mqttlab/shared/testing/factories';
import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import { poolLatency } from './compare.ts';

const latencies = fc.array(fc.array(fc.integer({ min: 0, max: 5_000_000 }), { maxLength: 60 }), {
  maxLength: 6,
});

describe('poolLatency', () => {
  it('is the box of all messages', () => {
    fc.assert(
      fc.property(latencies, (runs) => {
        const whole = new LatencyHistogram();
        for (const value of runs.flat()) whole.record(value);
        const box = poolLatency(runs.map((values) => makeHistogram(values)));
        if (whole.count === 0) {
          expect(box).toBeNull();
          return;
        }
        expect(box?.messages).toBe(whole.count);
        for (const p of [5, 25, 50, 75, 95] as const) {
          expect(box?.[`p${p}`]).toBe(whole.percentile(p)! / 1000);
        }
        expect(box?.mean).toBeCloseTo(whole.meanUs! / 1000, 9);
      }),
    );
  });

  it('leaves out a histogram with other buckets', () => {
    const coarse = new LatencyHistogram({ significantDigits: 2 });
    coarse.record(9e6);
    expect(poolLatency([makeHistogram([1000]), coarse.toJson()])).toMatchObject({ messages: 1, p95: 1 });
  });
});
