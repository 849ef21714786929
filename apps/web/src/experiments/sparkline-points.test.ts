import { describe, expect, it } from 'vitest';
import { placePoints, sparkSize } from './sparkline-points.ts';

describe('placePoints', () => {
  it('spans the picture from the lowest value at the bottom to the highest at the top', () => {
    const [first, , last] = placePoints([
      { mark: 1, value: 2 },
      { mark: 2, value: 3 },
      { mark: 3, value: 4 },
    ]);
    expect(first).toEqual({ key: '0:1', x: 5, y: sparkSize.heightPx - 6, mark: 1 });
    expect(last).toEqual({ key: '2:3', x: sparkSize.widthPx - 5, y: 5, mark: 3 });
  });

  it('puts equal values and a single one in the middle', () => {
    expect(placePoints([{ mark: 1, value: 7 }])).toEqual([{ key: '0:1', x: 40, y: 18, mark: 1 }]);
  });

  it('draws nothing of nothing', () => {
    expect(placePoints([])).toEqual([]);
  });
});
