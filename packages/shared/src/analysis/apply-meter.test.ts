import { describe, expect, it } from 'vitest';
import { makeEvidence, makeRoleResult } from '../testing/factories.ts';
import { applyMeter } from './apply-meter.ts';

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

describe('a meter of its own', () => {
  it('gives energy to every phase that it sampled, and the idle power from before the run', () => {
    const found = applyMeter(
      result,
      meter(every(100, -2000, 12_000), (ms) => (ms < 0 ? 2 : 5)),
    );
    expect(found.energy).toEqual({
      source: 'meter-file',
      quality: 'measured',
      detail: 'Joulescope',
      baselineW: expect.closeTo(2, 0),
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
      ).series,
    ).toHaveLength(found.series.length);
  });

  it('that does not cover the measure phase, or has a gap in it, gives no figure', () => {
    for (const times of [every(100, 500, 12_000), every(100, -100, 8000)]) {
      expect(
        applyMeter(
          result,
          meter(times, () => 5),
        ).energy?.measureJ,
      ).toBeNull();
    }
    const holed = every(100, -100, 12_000).filter((ms) => ms < 3000 || ms > 6000);
    expect(
      applyMeter(
        result,
        meter(holed, () => 5),
      ).energy?.measureJ,
    ).toBeNull();
  });

  it('has nothing to say where nothing was measured', () => {
    const unmeasured = makeRoleResult();
    expect(
      applyMeter(
        unmeasured,
        meter([0, 1], () => 5),
      ),
    ).toBe(unmeasured);
  });
});
