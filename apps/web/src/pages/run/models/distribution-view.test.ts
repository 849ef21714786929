import { makeHistogram } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makeDistributionView, makeOutline } from './distribution-view.ts';

const viewOf = (values: readonly number[], noun = 'messages') =>
  makeDistributionView({ histogram: makeHistogram(values), unit: 'ms', noun });
const ramp = Array.from({ length: 1500 }, (_, i) => 1000 + i);

describe('makeDistributionView', () => {
  it('leaves out quantiles without values enough, and says why', () => {
    expect(viewOf(ramp)?.quantiles.map(({ name }) => name)).toEqual(['P50', 'P95', 'P99']);
    expect(viewOf(ramp)?.leftOut).toMatch(/^P99\.9 is left out: it needs 10,00\d messages\.$/);
    const few = viewOf(ramp.slice(0, 100), 'connections');
    expect(few?.quantiles.map(({ name }) => name)).toEqual(['P50']);
    expect(few?.leftOut).toMatch(/^P95 and P99 and P99\.9 are left out: they need .* connections\.$/);
    expect(few?.curve.every((point) => point.percentile <= 50)).toBe(true);
  });

  it('keeps every value and the largest, in the unit asked for', () => {
    const view = viewOf(ramp);
    expect(view?.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(1500);
    expect(view?.maximum).toBeCloseTo(2.499, 6);
    const micro = makeDistributionView({ histogram: makeHistogram(ramp), unit: 'µs', noun: 'messages' });
    expect(micro?.maximum).toBeCloseTo(2499, 3);
  });

  it('takes a logarithm only for a long tail', () => {
    expect(viewOf(ramp)?.isLongTailed).toBe(false);
    expect(viewOf([...ramp, ...ramp.slice(0, 40).map(() => 60_000)])?.isLongTailed).toBe(true);
  });

  it('is null while empty', () => expect(viewOf([])).toBeNull());
});

describe('makeOutline', () => {
  it('pools other runs and scales them to this one', () => {
    const others = [makeHistogram(ramp), makeHistogram([]), makeHistogram(ramp.slice(0, 500))];
    const outline = makeOutline(others, { unit: 'ms', count: 300 });
    expect(outline.reduce((sum, bin) => sum + bin.count, 0)).toBeCloseTo(300, 6);
  });

  it('is empty without other runs', () => {
    expect(makeOutline([makeHistogram([])], { unit: 'ms', count: 300 })).toEqual([]);
  });
});
