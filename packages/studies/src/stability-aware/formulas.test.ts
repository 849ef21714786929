import { describe, expect, it } from 'vitest';
import { publishedNumber } from '../published.ts';
import { monthsOfTwelve, perturbedCharge } from './formulas.ts';

const printed = (metric: string, treatment: string) => {
  const value = publishedNumber({ study: 'stability-aware', table: 'summary', metric, treatment });
  if (value === null) throw new Error(`no ${metric} of ${treatment}`);
  return value;
};

describe('formulas of the study', () => {
  it('project the published months from the published currents', () => {
    for (const treatment of ['plain', 'TLS 1.2', 'ECDH+AES-128-CBC']) {
      const months = monthsOfTwelve(printed('mean current', treatment), printed('mean current', 'plain'));
      expect(Math.abs(months - printed('battery life', treatment))).toBeLessThan(0.06);
    }
  });

  it('rank TLS below plain at a load of 0.8 by the published values: the ranking is not invariant', () => {
    const tls = {
      setUpS: 20,
      setUpMA: printed('mean current', 'TLS 1.2'),
      steadyMA: printed('mean current', 'TLS 1.2'),
      mAh: printed('cumulative energy', 'TLS 1.2'),
    };
    expect(perturbedCharge(tls, { handshake: 1, load: 1 })).toBeCloseTo(15.45, 10);
    // If handshake and load draw the same current, the handshake length has no effect.
    expect(perturbedCharge(tls, { handshake: 1.2, load: 1 })).toBeCloseTo(15.45, 10);
    const alone = perturbedCharge({ ...tls, setUpS: 0 }, { handshake: 1, load: 0.8 });
    expect(alone).toBeCloseTo(12.36, 10);
    expect(alone).toBeLessThan(printed('cumulative energy', 'plain'));
    expect(perturbedCharge(tls, { handshake: 1, load: 0.8 })).toBeLessThan(
      printed('cumulative energy', 'plain'),
    );
  });
});
