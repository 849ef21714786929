import { describe, expect, it } from 'vitest';
import { makeEvidence } from '../testing/evidence.ts';
import { makeRoleResult } from '../testing/factories.ts';
import { fc } from '../testing/properties.ts';
import { applyMeter, findIdle, type MeterRunTimes } from './apply-meter.ts';
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

/** A measure phase of 10 s that begins at 0. */
const [, publisher] = makeEvidence().results;
const result = publisher ?? makeRoleResult();
const every = (stepMs: number, fromMs: number, toMs: number) =>
  Array.from({ length: Math.floor((toMs - fromMs) / stepMs) + 1 }, (_, index) => fromMs + index * stepMs);
const meter = (timesMs: number[], powerAt: (ms: number) => number) => ({
  name: 'Joulescope',
  timesMs,
  powerW: timesMs.map(powerAt),
});

/** Of the run alone: prepared in its last half second before, over a second after. */
const alone: MeterRunTimes = { own: { fromMs: -500, toMs: 11_000 }, others: [] };

describe('a separate meter', () => {
  it('gives energy to every phase that it sampled, and the idle power from before the run', () => {
    const found = applyMeter(
      result,
      meter(every(100, -2000, 12_000), (ms) => (ms < 0 ? 2 : 5)),
      alone,
    );
    expect(found.energy).toEqual({
      source: 'meter-file',
      quality: 'measured',
      detail: 'Joulescope',
      baselineW: expect.closeTo(2, 9),
      baselineWindow: { fromMs: -2000, toMs: -750 },
      measureJ: expect.closeTo(50, 9),
      voltageV: null,
      batteryMah: null,
    });
    expect(found.phases.map(({ phase, energyJ }) => [phase, energyJ === null])).toEqual([
      ['tcp', true],
      ['tls', true],
      ['connect', true],
      ['measure', false],
    ]);
    expect(found.series.filter(({ metric }) => metric === 'energy.power')).toHaveLength(1);
    expect(
      applyMeter(
        found,
        meter(every(100, -100, 11_000), () => 1),
        alone,
      ).series,
    ).toHaveLength(found.series.length);
  });

  it('that does not cover the measure phase, or has a gap in it, gives no figure', () => {
    for (const times of [every(100, 500, 12_000), every(100, -100, 8000)]) {
      expect(
        applyMeter(
          result,
          meter(times, () => 5),
          alone,
        ).energy?.measureJ,
      ).toBeNull();
    }
    const holed = every(100, -100, 12_000).filter((ms) => ms < 3000 || ms > 6000);
    expect(
      applyMeter(
        result,
        meter(holed, () => 5),
        alone,
      ).energy?.measureJ,
    ).toBeNull();
  });

  it('takes no earlier run, no set-up and no warm-up for an idle device', () => {
    // A run of 5 W until 2 s before this one was prepared, which takes 4 W from 3 s before it measures.
    const power = (ms: number) => (ms < -20_000 ? 3 : ms < -5000 ? 5 : ms < -3000 ? 3 : ms < 0 ? 4 : 5);
    const times = { own: { fromMs: -3000, toMs: 10_500 }, others: [{ fromMs: -20_000, toMs: -5000 }] };
    const { energy } = applyMeter(result, meter(every(100, -30_000, 12_000), power), times);
    expect(energy?.baselineW).toBeCloseTo(3, 9);
    expect(energy?.baselineWindow).toEqual({ fromMs: -4750, toMs: -3250 });
    const atOnce = { ...times, others: [{ fromMs: -20_000, toMs: -3050 }] };
    const further = applyMeter(result, meter(every(100, -30_000, 10_000), power), atOnce).energy;
    expect(further?.baselineW).toBeCloseTo(3, 9);
    expect(further?.baselineWindow).toEqual({ fromMs: -30_000, toMs: -20_250 });
    const always = { ...times, others: [{ fromMs: -40_000, toMs: -3050 }] };
    const none = applyMeter(result, meter(every(100, -30_000, 10_000), power), always).energy;
    expect(none?.baselineW).toBeNull();
    expect(none).not.toHaveProperty('baselineWindow');
  });

  it('says how long it was silent, and what that can make wrong', () => {
    // 5 W, for a second 9 W, and a gap of 1.5 s.
    const whole = every(100, -3000, 12_000);
    const power = (ms: number) => (ms < 0 ? 2 : ms >= 1000 && ms < 2000 ? 9 : 5);
    const holed = whole.filter((ms) => ms <= 4000 || ms >= 5500);
    const { energy } = applyMeter(result, meter(holed, power), alone);
    expect(energy?.gaps?.ms).toBeCloseTo(1500, 6);
    expect(energy?.gaps?.errorJ).toBeCloseTo(1.5 * (9 - 5), 6);
    const truth = (inGap: number) =>
      applyMeter(
        result,
        meter(whole, (ms) => (ms > 4000 && ms < 5500 ? inGap : power(ms))),
        alone,
      ).energy?.measureJ ?? 0;
    for (const inGap of [2, 4, 5, 7, 9]) {
      expect(Math.abs(truth(inGap) - (energy?.measureJ ?? 0))).toBeLessThanOrEqual(energy?.gaps?.errorJ ?? 0);
    }
    expect(applyMeter(result, meter(whole, power), alone).energy).not.toHaveProperty('gaps');
    // Only what is missing from the measure phase counts.
    const early = whole.filter((ms) => ms <= -2500 || ms >= -1000);
    expect(applyMeter(result, meter(early, power), alone).energy).not.toHaveProperty('gaps');
  });

  it('has nothing to say where nothing was measured', () => {
    const unmeasured = makeRoleResult();
    expect(
      applyMeter(
        unmeasured,
        meter([0, 1], () => 5),
        alone,
      ),
    ).toBe(unmeasured);
  });
});
