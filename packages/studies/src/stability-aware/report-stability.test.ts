import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import { makeReportInput } from '@mqttlab/shared/testing/report-input';
import { describe, expect, it } from 'vitest';
import { makeStabilityReport, tls12, volts } from '../testing/stability-report.ts';

describe('reportStability', () => {
  it('averages ten samples to one second and recovers the simulated level, memory and differences', () => {
    const { stability } = makeStabilityReport('full', 6000);
    expect(stability).toMatchObject({ stepMs: 1000, averaged: 10, segmentMs: 120_000, volts });
    const [emitter] = stability?.variables ?? [];
    const { 0: plain, [tls12]: tls } = emitter?.summaries ?? [];
    expect(plain?.samples).toBe(5 * 600);
    expect(plain?.mean).toBeCloseTo(78.4, 0);
    expect(Math.abs((plain?.mode ?? 0) - (plain?.median ?? 0))).toBeLessThan(1);
    expect(plain?.cvRuns).toBeLessThan(1);
    expect(plain?.cvSegments).toBeGreaterThan(0);
    expect(plain?.memory?.acf).toHaveLength(61);
    // Averaged over ten samples an AR(1) of 0.6 has little memory left.
    expect(plain?.memory?.firstInside).toBeLessThan(10);
    expect(plain?.memory?.adf?.p).toBeLessThan(0.05);
    expect((tls?.mean ?? 0) - (plain?.mean ?? 0)).toBeCloseTo(14.3, 0);
    const contrast = emitter?.contrasts[tls12 - 1];
    expect(contrast?.lo).toBeGreaterThan(0);
    expect(contrast?.lo).toBeLessThan(14.3);
    expect(contrast?.hi).toBeGreaterThan(14.3 - 0.5);
    expect(contrast?.cohensD).toBeGreaterThan(5);
    expect(contrast?.distribution?.counts.reduce((sum, count) => sum + count, 0)).toBe(2000);
    // 78.4 mA for 600 s.
    const [ofEmitter] = stability?.cumulative ?? [];
    expect(ofEmitter?.curves[0]?.mean.at(-1) ?? 0).toBeCloseTo(13.07, 1);
    // Cumulative charge, not instantaneous current, so it hardly changes.
    const overhead = ofEmitter?.overhead?.[tls12 - 1]?.mean ?? [];
    expect(overhead.at(-1)).toBeCloseTo((92.7 / 78.4 - 1) * 100, 0);
    expect(Math.abs((overhead.at(-1) ?? 0) - (overhead.at(-2) ?? 9))).toBeLessThan(0.05);
    // Three TLS against two payload ciphers.
    expect(emitter?.between).toHaveLength(6);
    expect(emitter?.between?.[0]?.difference).toBeCloseTo(92.7 - 84.9, 0);
    expect(plain?.max).toBeGreaterThan(plain?.p75 ?? 99);
  });

  it('uses samples without averaging for short runs, with a note', () => {
    const { stability } = makeStabilityReport('smoke', 60);
    expect(stability).toMatchObject({ stepMs: 100, averaged: 1, segmentMs: 1040 });
    expect(stability?.variables[0]?.summaries[0]).toMatchObject({ samples: 156, runs: 3 });
    expect(stability?.variables[0]?.summaries[0]?.memory?.acf[1]).toBeGreaterThan(0.3);
    // The receiver lags by one sample.
    const [crossed] = stability?.crossCorrelation ?? [];
    expect(crossed?.strongest.lag).toBe(-1);
    expect(crossed?.strongest.r).toBeGreaterThan(0.9);
    expect(stability?.missing.join(' ')).toContain('latency');
  });

  it('splits set-up from load, and projects the battery by hand-checked formulas', () => {
    const { stability } = makeStabilityReport('smoke', 60);
    const [plain] = stability?.handshake ?? [];
    // 0.05 J in 50 ms are 1 W, 200 mA at 5 V.
    expect(plain?.setUpMs).toBe(50);
    expect(plain?.setUpMA).toBeCloseTo(200, 6);
    const always = stability?.battery.find(({ duty }) => duty === 1);
    expect(always?.rows[0]?.monthsOfTwelve).toBe(12);
    // Published: 10.1 months on TLS 1.2.
    expect(always?.rows[tls12]?.monthsOfTwelve).toBeCloseTo((12 * 78.4) / 92.7, 0);
    const rarely = stability?.battery.find(
      ({ duty, sleepMA }) => duty === 0.01 && Math.abs(sleepMA - 40) < 1e-6,
    );
    // 0.2 W idle are 40 mA. With mostly sleep, TLS costs hardly anything.
    expect(rarely?.rows[tls12]?.monthsOfTwelve).toBeGreaterThan(11.9);
  });

  it('counts each run from the start of its connection, with the current of the handshake', () => {
    const { stability } = makeStabilityReport('smoke', 60);
    expect(stability?.emitterRuns).toHaveLength(5 * 3);
    const [first] = stability?.emitterRuns ?? [];
    // Five samples of 1.5 times the load, then 52 while measuring.
    expect(first?.earlyMA).toBeCloseTo(1.5 * 78.4, 6);
    expect(first?.steadyMA).toBeCloseTo(78.4, -1);
    expect(first?.mAh).toBeCloseTo((5 * 1.5 * 78.4 + 52 * (first?.steadyMA ?? 0)) * (0.1 / 3600), 6);
    // Curves start there too.
    const curve = stability?.variables[0]?.curves[0];
    expect(curve?.mean).toHaveLength(57);
    expect(curve?.mean[0]).toBeCloseTo(1.5 * 78.4, 3);
  });

  it('is not used by other experiments', () => {
    const report = makeReport(makeReportInput(() => ({ metrics: { 'latency.p50': 1 } })));
    expect(report.stability).toBeNull();
  });
});
