import { describe, expect, it } from 'vitest';
import { describeResolution } from './resolution.ts';

const asked = { repetitions: 5, treatments: 3, response: 'latency.p50', workload: 'stream' as const };
const resolution = {
  metric: 'latency.p50',
  unit: 'ms',
  scale: 'ratio' as const,
  sdOfDifferences: 0.1,
  level: 0.95,
  fromRuns: 4,
  fromExperiments: [3],
  sameFactors: true,
  contrasts: 2,
};

describe('describeResolution', () => {
  it('states the difference in percent of the baseline, paired by repetition', () => {
    const text = describeResolution({ ...asked, resolution });
    expect(text).toMatch(/\d+\u00a0% of the baseline \(80 % power, paired by repetition/);
    expect(text).not.toContain('flagged');
  });

  it('says if the earlier experiments varied other factors', () => {
    const guide = 'varied other factors, so the difference is only a rough guide';
    expect(describeResolution({ ...asked, resolution })).not.toContain(guide);
    const other = { ...resolution, sameFactors: false };
    expect(describeResolution({ ...asked, resolution: other })).toContain(
      `4 earlier runs in E-3, which ${guide}.`,
    );
  });

  it('reports how many earlier runs are flagged, whether or not the others suffice', () => {
    const earlier = { runs: 18, flagged: 14 };
    expect(describeResolution({ ...asked, resolution, earlier })).toContain(
      '14 of 18 earlier runs are flagged and were not used.',
    );
    const unknown = describeResolution({ ...asked, resolution: null, earlier });
    expect(unknown).toContain('14 of 18 earlier runs are flagged');
    expect(unknown).toContain('on an idle machine');
  });

  it('reports too few earlier runs if none is flagged', () => {
    expect(describeResolution({ ...asked, resolution: null, earlier: { runs: 1, flagged: 0 } })).toContain(
      'too few earlier runs',
    );
  });
});
