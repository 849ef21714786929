import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findIdle } from './find-idle.ts';
import type { Window } from './integrate-energy.ts';

const s = (fromS: number, toS: number): Window => ({ fromUs: fromS * 1e6, toUs: toS * 1e6 });

describe('the idle time beside a run', () => {
  it('is what lies before it, and ends where its own set-up begins', () => {
    expect(findIdle(s(-10, 20), { own: s(-3, 12), others: [] })[0]).toEqual(s(-10, -3.25));
  });

  it('begins where an earlier run ended', () => {
    expect(findIdle(s(-30, 20), { own: s(-3, 12), others: [s(-25, -8)] })).toEqual([
      s(-7.75, -3.25),
      s(-30, -25.25),
      s(12.25, 20),
    ]);
  });

  it('is looked for further back, then behind the run, where runs follow one another at once', () => {
    const others = [s(-20, -10), s(-10, -3.1)];
    expect(findIdle(s(-25, 12), { own: s(-3, 12), others })).toEqual([s(-25, -20.25)]);
    expect(findIdle(s(-20, 20), { own: s(-3, 12), others })).toEqual([s(12.25, 20)]);
  });

  it('is the part beside the run where it is long', () => {
    expect(findIdle(s(-300, 300), { own: s(-3, 12), others: [] })).toEqual([
      s(-33.25, -3.25),
      s(12.25, 42.25),
    ]);
  });

  it('is none where a run that has not ended fills it', () => {
    const endless = { fromUs: 12.9e6, toUs: Number.POSITIVE_INFINITY };
    expect(findIdle(s(-3, 60), { own: s(-3, 12), others: [endless] })).toEqual([]);
  });

  it('never holds any part of a run', () => {
    const window = fc
      .tuple(fc.integer({ min: -100, max: 100 }), fc.integer({ min: 0, max: 40 }))
      .map(([from, length]) => s(from, from + length));
    fc.assert(
      fc.property(window, window, fc.array(window, { maxLength: 6 }), (measured, own, others) => {
        for (const idle of findIdle(measured, { own, others })) {
          expect(idle.fromUs).toBeGreaterThanOrEqual(measured.fromUs);
          expect(idle.toUs).toBeLessThanOrEqual(measured.toUs);
          for (const busy of [own, ...others]) {
            expect(idle.toUs <= busy.fromUs || idle.fromUs >= busy.toUs).toBe(true);
          }
        }
      }),
    );
  });
});
