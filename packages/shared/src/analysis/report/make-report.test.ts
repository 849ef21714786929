import { describe, expect, it } from 'vitest';
import type { ExperimentDraft } from '../../domain/plans/experiment-draft.ts';
import type { Report } from '../../domain/report/report.ts';
import { reportSchema } from '../../domain/report/report.ts';
import { makeNoise, makeReportInput, type RunShape } from '../../testing/report-input.ts';
import { makeReport } from './make-report.ts';

const fiveTimes = { repetitions: 5 };
const p50 = (value: number | null): RunShape => ({ metrics: { 'latency.p50': value } });

/** Treatments of the tour: Plain, AES, ChaCha20 x QoS 0, 1; here the suite costs and QoS does not. */
function reportOf(
  shape: (treatment: number, block: number) => RunShape,
  draft: Partial<ExperimentDraft> = fiveTimes,
): Report {
  const report = makeReport(makeReportInput(shape, draft));
  expect(reportSchema.safeParse(JSON.parse(JSON.stringify(report))).error).toBeUndefined();
  return report;
}

function plainText(report: Report): string {
  const texts = report.responses.flatMap(({ findings }) => findings.map(({ text }) => text));
  return texts.join('\n').replaceAll('\u00a0', ' ');
}

describe('makeReport', () => {
  it('says a resolved cost with its interval, in one sentence over the rows', () => {
    const noise = makeNoise(1);
    const report = reportOf((treatment) => p50(1 + Math.floor(treatment / 2) * 0.5 + noise() / 50));
    expect(plainText(report)).toMatch(
      /TLS 1\.3 · AES-256-GCM has a (49|50|51)[.\d]* % \[.+\] higher median latency at QoS 0 and .+ higher at QoS 1 than Plain\./,
    );
    const [response] = report.responses;
    expect(response?.contrasts.every(({ lo, p }) => (lo ?? 0) > 1 && (p ?? 1) < 0.05)).toBe(true);
    // The pairs with the baseline stand in the contrasts.
    expect(response?.between).toHaveLength(2);
    for (const { hedgesG, gLo, gHi } of response?.contrasts ?? []) {
      expect(gLo ?? 1e9).toBeLessThan(hedgesG ?? 0);
      expect(gHi ?? -1e9).toBeGreaterThan(hedgesG ?? 0);
    }
  });

  it('holds the contrasts of the response against other methods, and says what ranks can give at best', () => {
    const noise = makeNoise(7);
    const report = reportOf((treatment) => p50(1 + Math.floor(treatment / 2) * 0.5 + noise() / 50));
    const [lead, ...others] = report.responses;
    const { rows = [], allTogether } = lead?.otherMethods ?? {};
    expect(rows).toHaveLength(lead?.contrasts.length ?? -1);
    for (const { holm, bonferroni, falseDiscovery, student, ranks, leastP, dz } of rows) {
      expect(holm ?? 1).toBeLessThanOrEqual(bonferroni ?? 0);
      expect(falseDiscovery ?? 1).toBeLessThanOrEqual(bonferroni ?? 0);
      expect(student ?? 1).toBeLessThan(0.001);
      // Five pairs, all of one sign.
      expect([ranks, leastP]).toEqual([2 / 2 ** 5, 2 / 2 ** 5]);
      expect(dz ?? 0).toBeGreaterThan(5);
    }
    expect(allTogether).toMatch(/^Friedman, all 6 treatments equal: χ²/);
    expect(others.every(({ otherMethods }) => otherMethods === null)).toBe(true);
  });

  it('finds main effects and interactions that were put in, over blocks', () => {
    const noise = makeNoise(2);
    const report = reportOf((treatment, block) => {
      const [suite, qos] = [Math.floor(treatment / 2), treatment % 2];
      const factor = 1.2 ** suite * 1.1 ** qos * (suite === 2 && qos === 1 ? 1.4 : 1);
      return p50((10 + block) * factor * Math.exp(noise() / 200));
    });
    const effects = report.responses[0]?.effects ?? [];
    const of = (label: string) => effects.find((effect) => effect.label.includes(label));
    expect(of('TLS 1.3 · AES-256-GCM against Plain')?.estimate).toBeCloseTo(1.2, 2);
    expect(of('QoS 1 against QoS 0')?.estimate).toBeCloseTo(1.1 * 1.4 ** (1 / 3), 2);
    expect(of('TLS 1.3 · ChaCha20-Poly1305 × QoS 1')?.estimate).toBeCloseTo(1.4, 2);
    expect(of('TLS 1.3 · AES-256-GCM × QoS 1')?.estimate).toBeCloseTo(1, 2);
    expect(effects.every(({ scale }) => scale === 'ratio')).toBe(true);
    expect(plainText(report)).toContain('depend on each other');
  });

  it('shows run-level inference and the published bootstrap side by side', () => {
    const noise = makeNoise(3);
    const report = reportOf((treatment) => {
      const level = 10 + Math.floor(treatment / 2) + noise();
      return { ...p50(1 + noise()), cpu: Array.from({ length: 60 }, () => level + noise() / 4) };
    });
    const [first] = report.bootstraps;
    expect(report.bootstraps).toHaveLength(4);
    expect(first?.published?.samples).toBe(300);
    const width = ({ lo, hi }: { lo: number | null; hi: number | null }) => (hi ?? 0) - (lo ?? 0);
    expect(width(first!.runLevel)).toBeGreaterThan(1.5 * width(first!.published!));
    expect(first?.distribution?.counts.reduce((sum, count) => sum + count, 0)).toBe(2000);
    expect(first?.sentences.join(' ')).toMatch(/runs differ more than their samples suggest/);
    expect(report.diagnostics).toHaveLength(6);
    expect(report.diagnostics[0]?.adf?.p).toBeLessThan(0.05);
  });

  it('takes samples of the measure phase only: what comes in the drain is no steady state', () => {
    const noise = makeNoise(5);
    const steady = () => Array.from({ length: 60 }, () => 10 + noise());
    const drained = [...steady(), ...Array.from({ length: 40 }, () => 0)];
    const report = reportOf(() => ({ ...p50(1), cpu: drained }));
    expect(report.diagnostics[0]?.n).toBe(60);
    expect(report.diagnostics[0]?.adf?.p).toBeLessThan(0.01);
    expect(report.bootstraps[0]?.published?.samples).toBe(300);
    expect(Math.max(...(report.series[0]?.treatments[0]?.timesMs ?? []))).toBeLessThanOrEqual(60_000);
    expect(
      Math.min(...(report.series[0]?.treatments[0]?.mean ?? []).map((value) => value ?? 0)),
    ).toBeGreaterThan(5);
  });

  it('ranks treatments on the front of two responses', () => {
    const report = reportOf((treatment) => ({
      metrics: { 'latency.p50': 1 + treatment, 'cpu.broker': treatment === 5 ? 1 : 10 + treatment },
    }));
    expect(report.pareto?.points.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 1]);
    expect(report.pareto?.runs).toHaveLength(30);
  });

  it('fits a line over a numeric factor with three levels', () => {
    const noise = makeNoise(4);
    const draft = {
      repetitions: 3,
      response: 'cpu.broker',
      factors: { security: ['plain'], rate: [100, 200, 300] },
    };
    const report = reportOf(
      (treatment) => ({ metrics: { 'cpu.broker': 5 + 10 * (treatment + 1) + noise() } }),
      draft,
    );
    expect(report.saturations).toHaveLength(1);
    expect(report.saturations[0]?.sentence).toMatch(/one core would be fully used at 9\d\d/);
  });
});

/** Every interval of a value with its path: "responses.0.estimates.0.lo". */
function intervalsOf(value: unknown, path = ''): Map<string, number> {
  const found = new Map<string, number>();
  if (typeof value !== 'object' || value === null) return found;
  const entries = Object.entries(value);
  for (const [key, lower] of entries) {
    const upper = Reflect.get(value, key.replace(/lo$/, 'hi').replace(/Lo$/, 'Hi'));
    if (!/(^lo|Lo)$/.test(key)) {
      for (const [inner, width] of intervalsOf(lower, `${path}.${key}`)) found.set(inner, width);
      continue;
    }
    const ends = Array.isArray(lower) ? lower.map((one, at) => [one, upper[at]]) : [[lower, upper]];
    ends.forEach(([lo, hi], at) => {
      if (typeof lo === 'number' && typeof hi === 'number') found.set(`${path}.${key}.${at}`, hi - lo);
    });
  }
  return found;
}

describe('a plan with a stopping rule', () => {
  const shape = (noise: () => number) => (treatment: number) => ({
    metrics: { 'latency.p50': 20 + treatment + noise(), 'cpu.broker': 30 + 5 * treatment + noise() },
    cpu: Array.from({ length: 60 }, (_, at) => 30 + noise() + (at % 3)),
    data: {
      energy: [
        {
          role: 'broker',
          energy: {
            source: 'test',
            quality: 'measured' as const,
            detail: '',
            baselineW: 1,
            measureJ: 60 + noise(),
            voltageV: 5,
            batteryMah: null,
          },
        },
      ],
    },
  });
  const draft = {
    repetitions: 6,
    response: 'cpu.broker',
    factors: { security: ['plain', 'TLS 1.3'], rate: [100, 200, 300] },
  };

  it('has wider intervals in every part of its report: the level after stopping applies to all of them', () => {
    const stopping = { metric: 'cpu.broker', targetPercent: 1, atLeast: 5 };
    const fixed = intervalsOf(reportOf(shape(makeNoise(8)), draft));
    const stopped = intervalsOf(reportOf(shape(makeNoise(8)), { ...draft, stopping }));
    expect([...stopped.keys()]).toEqual([...fixed.keys()]);
    const parts = [...fixed.keys()].map((path) => path.split('.').filter((word) => !/^\d*$/.test(word)));
    expect([...new Set(parts.map((words) => words.join('.')))].sort()).toEqual([
      'bootstraps.hierarchical.lo',
      'bootstraps.published.lo',
      'bootstraps.runLevel.lo',
      'energy.power.lo',
      'responses.contrasts.gLo',
      'responses.contrasts.lo',
      'responses.effects.lo',
      'responses.estimates.lo',
      'saturations.band.lo',
      'series.treatments.lo',
      'series.treatments.overheadLo',
    ]);
    // The published method is repeated as it was published.
    const notWider = [...fixed].filter(
      ([path, width]) => !path.includes('.published.') && !((stopped.get(path) ?? 0) > width),
    );
    expect(notWider).toEqual([]);
  });
});

describe('bad input', () => {
  it('one run: values without intervals, with a note', () => {
    const report = reportOf((treatment) => p50(1 + treatment), { repetitions: 1 });
    expect(plainText(report)).toContain('too few for an interval');
    expect(report.responses[0]?.estimates[0]).toMatchObject({ n: 1, lo: null, note: expect.any(String) });
    expect(report.responses[0]?.contrasts.every(({ p, gLo }) => p === null && gLo === null)).toBe(true);
  });

  it('two runs: points, no interval, no claim', () => {
    const report = reportOf((treatment, block) => p50(1 + treatment + block / 100), { repetitions: 2 });
    expect(report.responses[0]?.findings.some(({ kind }) => kind === 'resolved')).toBe(false);
    expect(report.responses[0]?.estimates[0]).toMatchObject({
      n: 2,
      lo: null,
      note: expect.stringContaining('n = 2'),
    });
  });

  it('zero variance: an interval is never narrower than the resolution of the metric', () => {
    const report = reportOf((treatment) => p50(treatment < 2 ? 1 : 2));
    expect(report.responses[0]?.estimates[0]).toMatchObject({ mean: 1, lo: null, hi: null });
    expect(plainText(report)).toContain(
      'has a 100.0 % [99.8, 100.2] higher median latency at QoS 0 and 100.0 % [99.8, 100.2] higher at QoS 1 than Plain.',
    );
    expect(plainText(report)).not.toMatch(/NaN|Infinity/);
  });

  it('NaN and missing values: left out, never counted as zero', () => {
    const report = reportOf((treatment, block) =>
      p50(treatment === 2 ? Number.NaN : block === 1 ? null : 1 + treatment + block / 50),
    );
    const estimates = report.responses[0]?.estimates ?? [];
    expect(estimates.map(({ n }) => n)).toEqual([4, 4, 0, 4, 4, 4]);
    expect(estimates[2]?.note).toBe('no valid run has this metric');
    expect(plainText(report)).toContain('not measured in both treatments');
  });

  it('a flag leaves out the series and distributions that it affects, and no others', () => {
    const noise = makeNoise(11);
    const withVerdict = (id: string) =>
      reportOf((treatment, block) => ({
        ...p50(1),
        cpu: Array.from({ length: 60 }, () => 10 + noise()),
        ...(treatment === 0 && block === 1
          ? {
              change: {
                flagged: true,
                verdicts: [{ id, label: id, status: 'failed', evidence: '', threshold: '' }],
              },
            }
          : {}),
      }));
    const runsOf = ({ series }: Report) => series[0]?.treatments.map(({ runs }) => runs);
    const messagesOf = ({ latency }: Report) => latency.map(({ messages }) => messages);
    // Too few messages for a quantile: the CPU series counts.
    const quantiles = withVerdict('enough-messages');
    expect(runsOf(quantiles)).toEqual([5, 5, 5, 5, 5, 5]);
    const [own = 0, other = 0] = messagesOf(quantiles);
    expect(own / other).toBeCloseTo(4 / 5, 9);
    const busy = withVerdict('device-idle');
    expect(runsOf(busy)).toEqual([4, 5, 5, 5, 5, 5]);
  });

  it('all runs flagged: nothing is analysed and the reason is shown; on request they are included', () => {
    const input = makeReportInput(() => ({ ...p50(1), change: { flagged: true } }), fiveTimes);
    const report = makeReport(input);
    expect(report.validity).toMatchObject({ used: 0, flagged: 30 });
    expect(report.validity.sentences.join(' ')).toContain(
      'only metrics that no failed verdict affects can be analysed',
    );
    expect(report.responses).toEqual([]);
    const taken = makeReport({ ...input, takesFlagged: true });
    expect(taken.validity.used).toBe(30);
    expect(taken.validity.sentences.join(' ')).toContain('failed a check');
  });

  it('one run that counts is in the singular, and if no run counts it is not called unmeasured', () => {
    const report = reportOf((treatment, block) => ({
      ...p50(1),
      change: { flagged: treatment > 0 || block > 1 },
    }));
    expect(report.validity.sentences[0]).toBe(
      '30 of 30 planned trials were executed, 1 of them without a flag.',
    );
    expect(plainText(report)).toContain('neither treatment has a valid run');
    expect(plainText(report)).not.toContain('not measured');
    expect(report.missing.join(' ')).toContain('Fewer than two treatments have a counting run');
  });

  it('one treatment: its mean is the finding, and no baseline or trade-off is spoken of', () => {
    const report = reportOf((_, block) => p50(1 + block / 100), {
      repetitions: 3,
      factors: { security: ['plain'], qos: [0] },
    } as typeof fiveTimes);
    expect(plainText(report)).toMatch(/^Median latency: 1\.02 ms \[.+\] over 3 runs\. Nothing was varied/);
    expect(report.missing.join(' ')).not.toMatch(/trade/);
  });

  it('excluded runs: out of the numbers, in the list with the reason', () => {
    const report = reportOf((treatment, block) => ({
      ...p50(block === 2 ? 1000 : 1 + treatment + block / 100),
      ...(block === 2 ? { change: { exclusion: { reason: 'the door slammed', at: 1 } } } : {}),
    }));
    expect(report.validity.excluded).toBe(6);
    expect(report.validity.leftOut[0]?.reason).toBe('excluded: the door slammed');
    expect(Math.max(...(report.responses[0]?.estimates ?? []).map(({ mean }) => mean ?? 0))).toBeLessThan(10);
  });

  it('series of unequal length, short or constant: sentences in place of tests', () => {
    const report = reportOf((treatment, block) => ({
      ...p50(1),
      cpu: treatment === 0 ? Array.from({ length: 60 }, () => 3) : [1, 2, 3].slice(0, block),
    }));
    expect(report.diagnostics).toHaveLength(1);
    expect(report.diagnostics[0]?.sentences[0]).toContain('constant');
    expect(report.bootstraps.every(({ published }) => published === null)).toBe(true);
    expect(report.bootstraps[0]?.sentences.join(' ')).toContain('too few for blocks');
  });

  it('mixed energy qualities: a sentence in place of figures', () => {
    const energy = (quality: 'measured' | 'modelled') => ({
      source: 'meter',
      quality,
      detail: '',
      baselineW: null,
      measureJ: 20,
      voltageV: 5,
      batteryMah: null,
    });
    const report = reportOf((treatment) => ({
      ...p50(1),
      data: { energy: [{ role: 'publisher', energy: energy(treatment === 0 ? 'measured' : 'modelled') }] },
    }));
    expect(report.energy).toEqual([]);
    expect(report.missing.join(' ')).toContain('different quality');
    const mixed = reportOf((treatment) => ({
      metrics: { 'energy.total': 5 + treatment },
      change: { bases: { energy: treatment < 2 ? 'measured' : 'modelled' } },
    }));
    expect(plainText(mixed)).toContain('not compared: measured and modelled figures');
    expect(mixed.responses[0]?.effectsNote).toContain('values with different bases');
    const traded = reportOf((treatment) => ({
      metrics: { 'latency.p50': 5 + treatment, 'energyPerMessage.total': 5 - treatment / 10 },
      change: { bases: { energy: treatment < 2 ? 'measured' : 'modelled' } },
    }));
    expect(traded.pareto).toBeNull();
    const alike = reportOf(() => ({
      ...p50(1),
      data: { energy: [{ role: 'publisher', energy: energy('measured') }] },
    }));
    expect(alike.energy[0]?.battery?.rows[0]?.hours).toBeGreaterThan(0);
  });

  it('retried trials count once, by their last attempt', () => {
    const input = makeReportInput(() => p50(1), fiveTimes);
    const [first] = input.runs;
    const runs = [
      { ...first!, status: 'failed' as const, metrics: {} },
      ...input.runs.slice(1),
      { ...first!, id: 99, attempt: 2, retryOf: first!.id },
    ];
    expect(makeReport({ ...input, runs }).validity).toMatchObject({
      attempts: 31,
      done: 30,
      used: 30,
      failed: 0,
    });
  });
});
