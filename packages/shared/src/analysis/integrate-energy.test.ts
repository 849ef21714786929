import { describe, expect, test } from 'vitest';
import { fc } from '../testing/properties.ts';
import { integrateEnergy, type PowerSample } from './integrate-energy.ts';

const second = 1e6;
const gap = { longest: 2 * second };
const at = (powers: readonly number[], stepUs = second) =>
  powers.map((power, i) => makeSample(i * stepUs, power));
/** The sensor had nothing to say. */
const nothing = null;

function makeSample(atUs: number, powerW: number | null): PowerSample {
  return { atUs, powerW, energyJ: null };
}

const energyOf = (samples: readonly PowerSample[], fromUs: number, toUs: number) => {
  const result = integrateEnergy(samples, { fromUs, toUs }, gap.longest);
  return 'energy' in result ? result.energy.energyJ : result.reason;
};

describe('trapezoid over power', () => {
  test('a ramp, with edges between samples', () => {
    const ramp = at([0, 1, 2, 3, 4]);
    expect(energyOf(ramp, 0, 4 * second)).toBeCloseTo(8, 12);
    expect(energyOf(ramp, 0.5 * second, 1.5 * second)).toBeCloseTo(1, 12);
    expect(energyOf(ramp, 1.25 * second, 1.75 * second)).toBeCloseTo(0.75, 12);
  });

  test('the parts of a window add up to the whole, wherever it is cut', () => {
    const powers = fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 11, maxLength: 11 });
    fc.assert(
      fc.property(powers, fc.integer({ min: 1, max: 9_999_999 }), (values, cutUs) => {
        const samples = at(values);
        const whole = Number(energyOf(samples, 0, 10 * second));
        const parts = Number(energyOf(samples, 0, cutUs)) + Number(energyOf(samples, cutUs, 10 * second));
        expect(parts).toBeCloseTo(whole, 9);
      }),
      { numRuns: 100 },
    );
  });

  test('what the samples do not cover has a reason and no number', () => {
    const samples = at([5, 5, 5]);
    expect(energyOf(samples, -1, second)).toBe('no sample before the window');
    expect(energyOf(samples, 0, 2 * second + 1)).toBe('no sample after the window');
    expect(energyOf([], 0, second)).toBe('no sample before the window');
    expect(energyOf(samples, second, second)).toBe('the window has no length');
  });

  test('a sensor that vanishes leaves a gap: a short one is bridged, a long one has a reason', () => {
    const short = at([5, 5, 5, 5, 5]).with(2, makeSample(2 * second, nothing));
    expect(energyOf(short, 0, 4 * second)).toBeCloseTo(20, 12);
    const long = short.with(3, makeSample(3 * second, nothing));
    expect(energyOf(long, 0, 4 * second)).toBe('no sample for 3.0 s');
    expect(energyOf(long, 0, second)).toBeCloseTo(5, 12);
  });
});

test('a counter of energy is believed more than the power made from it', () => {
  const samples: PowerSample[] = [0, 4, 5, 9].map((energyJ, i) => ({
    atUs: i * second,
    powerW: i === 0 ? null : 99,
    energyJ,
  }));
  expect(energyOf(samples, 0, 3 * second)).toBeCloseTo(9, 12);
  expect(energyOf(samples, 0.5 * second, 2 * second)).toBeCloseTo(3, 12);
  const broken = samples.with(1, makeSample(second, nothing));
  expect(energyOf(broken, 0, 3 * second)).toBeCloseTo(9, 12);
});
