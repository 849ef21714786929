import { fc } from '@mqttlab/shared/testing/properties';
import { expect, it } from 'vitest';
import { shorten, textWidth } from './text-width.ts';

/** Reference implementation: removes characters from the end and measures the whole text each time. */
function shortenSlowly(text: string, width: number): string {
  if (textWidth(text) * 1.12 <= width - 6) return text;
  let cut = text;
  while (cut.length > 3 && textWidth(cut) * 1.12 > width - 14) cut = cut.slice(0, -1);
  return `${cut}…`;
}

it('keeps the longest prefix that fits', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), fc.integer({ min: 0, max: 400 }), (text, width) => {
      expect(shorten(text, width)).toBe(shortenSlowly(text, width));
    }),
  );
  expect(shorten('AES-256-GCM against Plain', 90)).toBe('AES-256-GC…');
});

it('reads a long text only once', () => {
  const looked: number[] = [];
  for (const length of [1000, 1_000_000]) {
    let count = 0;
    const text = Object.assign(Object.create(String.prototype), {
      *[Symbol.iterator]() {
        for (let i = 0; i < length; i += 1) {
          count += 1;
          yield 'x';
        }
      },
      slice: (from: number, to: number) => 'x'.repeat(Math.min(length, to) - from),
    }) as string;
    expect(shorten(text, 100)).toMatch(/^x{10,20}…$/);
    looked.push(count);
  }
  expect(looked[1]).toBe(looked[0]);
});
