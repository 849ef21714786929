import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import { placeLabels, spreadLabels } from './labels.ts';
import { textWidth } from './text-width.ts';

const area = { left: 0, right: 600, top: 0, bottom: 300 };

describe('placeLabels', () => {
  it('keeps labels inside the figure without overlap, for any points', () => {
    const point = fc.record({
      text: fc.constantFrom('QoS 0', 'TLS 1.3 AES-256-GCM'),
      x: fc.integer({ min: 0, max: 600 }),
      y: fc.integer({ min: 0, max: 300 }),
      isStrong: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(point, { maxLength: 12 }), (points) => {
        const boxes = placeLabels(points, area).map(({ text, x, y, anchor }) => {
          const left = anchor === 'start' ? x : x - textWidth(text);
          return { left, right: left + textWidth(text), top: y - 6.5, bottom: y + 6.5 };
        });
        for (const [index, a] of boxes.entries()) {
          expect(a.left >= 0 && a.right <= 600 && a.top >= 0 && a.bottom <= 300).toBe(true);
          for (const b of boxes.slice(index + 1)) {
            const meet = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
            expect(meet).toBe(false);
          }
        }
      }),
    );
  });

  it('places the label of a single point on its right', () => {
    const point = { text: 'QoS 0', x: 300, y: 150, isStrong: true };
    expect(placeLabels([point], area)).toEqual([{ ...point, x: 308, anchor: 'start' }]);
  });
});

describe('placeLabels next to an interval', () => {
  it('places a label above a long interval, next to a short one', () => {
    const point = { text: 'QoS 0', x: 300, y: 150, isStrong: true };
    const yOf = (across: [number, number]) => placeLabels([{ ...point, across }], area)[0]?.y;
    expect(yOf([250, 350])).toBe(137);
    expect(yOf([293, 307])).toBe(150);
  });
});

describe('spreadLabels', () => {
  it('does not move labels that fit', () => {
    expect(spreadLabels([10, 40, 80], { gap: 14, min: 0, max: 100 })).toEqual([10, 40, 80]);
  });

  it('moves neighbours apart by equal amounts', () => {
    const [a, b] = spreadLabels([50, 52], { gap: 14, min: 0, max: 100 });
    expect(b! - a!).toBeGreaterThanOrEqual(13.9);
    expect((a! + b!) / 2).toBeCloseTo(51, 1);
  });

  it('keeps order and bounds if all have the same origin', () => {
    const ys = spreadLabels([98, 99, 97], { gap: 14, min: 0, max: 100 });
    expect(Math.max(...ys)).toBeLessThanOrEqual(100.01);
    expect(ys[2]).toBeLessThan(ys[0]!);
    expect(ys[0]).toBeLessThan(ys[1]!);
  });

  it('accepts an empty list', () => {
    expect(spreadLabels([], { gap: 14, min: 0, max: 100 })).toEqual([]);
  });
});
