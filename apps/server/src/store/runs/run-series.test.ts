import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import { packColumn, unpackColumn } from './run-series.ts';

describe('column blocks', () => {
  it('return every value to the last bit, null included', () => {
    const value = fc.option(fc.double({ noNaN: true }), { nil: null });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 500 }), (values) => {
        expect(unpackColumn(packColumn(values))).toEqual(values);
      }),
    );
  });

  it('need few bytes for a sampled series', () => {
    const times = Array.from({ length: 600 }, (_, i) => i * 100 + Math.round(Math.sin(i) * 500) / 1000);
    const values = times.map((_, i) => Math.round(30 + 10 * Math.sin(i / 7)) / 10);
    expect(packColumn(times).length / times.length).toBeLessThan(7);
    expect(packColumn(values).length / times.length).toBeLessThan(3);
  });

  it('refuse a truncated block', () => {
    const whole = packColumn([1, 2, 3]);
    expect(() => unpackColumn(whole.subarray(0, whole.length - 6))).toThrow();
  });
});
