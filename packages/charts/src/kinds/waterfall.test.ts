import { describe, expect, it } from 'vitest';
import {
  makeWaterfall,
  measuredQuantities,
  PHASE_QUANTITIES,
  type PhaseCost,
  phaseText,
  waterfallTable,
} from './waterfall.ts';

const phase = (over: Partial<PhaseCost>): PhaseCost => ({
  name: 'tcp',
  part: 'set-up',
  timeMs: 5,
  cpuMs: null,
  bytes: null,
  energyJ: null,
  ...over,
});
const phases = [
  phase({}),
  phase({ name: 'tls', timeMs: 48 }),
  phase({ name: 'warm-up', part: 'load', timeMs: 5000 }),
  phase({ name: 'measure', part: 'load', timeMs: 60_000, bytes: 49_400_000 }),
];
const time = PHASE_QUANTITIES[0]!;

describe('makeWaterfall', () => {
  it('starts each bar at the end of the previous one, and each part at zero', () => {
    const { bars } = makeWaterfall(phases, time);
    expect(bars.map(({ from, to }) => [from, to])).toEqual([
      [0, 5],
      [5, 53],
      [0, 5],
      [5, 65],
    ]);
  });

  it('uses separate units for set-up and load', () => {
    expect(makeWaterfall(phases, time).parts.map((part) => part.unit)).toEqual(['ms', 's']);
  });

  it('counts missing values as zero', () => {
    const { bars, parts } = makeWaterfall(phases, PHASE_QUANTITIES[2]!);
    expect(bars[2]).toMatchObject({ from: 0, to: 0 });
    expect(parts[1]!.unit).toBe('MB');
  });
});

describe('quantities', () => {
  it('offers only measured quantities', () => {
    expect(measuredQuantities(phases).map((look) => look.key)).toEqual(['time', 'bytes']);
  });

  it('writes a dash for missing values', () => {
    expect(phaseText(phases[0]!, PHASE_QUANTITIES[2]!)).toBe('\u2013');
  });

  it('keeps nulls in the table', () => {
    expect(waterfallTable(phases).rows[0]).toEqual(['tcp', 'set-up', 5, null]);
  });
});
