import {
  type Claim,
  type Contrast,
  contrast,
  count,
  type Expectation,
  every,
  type Line,
  lines,
  type MissingLine,
  type PartEvidence,
  some,
} from '@mqttlab/shared/analysis/claims/claim';
import {
  describeMeasure,
  numbersOf,
  sampleLine,
  select,
  valuesOf,
} from '@mqttlab/shared/analysis/claims/lines';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import type { StabilityEmitterRun } from '@mqttlab/shared/domain/report/report-stability';
import { plural } from '@mqttlab/shared/format/number';
import {
  effectPValues,
  hedgesInterval,
  standardisedDifference,
} from '@mqttlab/shared/statistics/comparisons/effect-size';
import { pooledSpread } from '@mqttlab/shared/statistics/estimates/spread';
import { needsSeparateDevices, quartileRange } from '../claims/common.ts';
import { hybrid, plain, type Side, tls } from './configurations.ts';
import { perturbedCharge } from './formulas.ts';

const energy = 'energy.publisher';
const latency = 'latency.mean';
const studied = [plain, tls, hybrid];

function compare(side: Side, other: Side, measures: Contrast['measures'], expect: Expectation = 'higher') {
  return contrast({
    of: side.isOf,
    against: other.isOf,
    across: ['security', 'cipherSuite', 'payloadCipher', 'session', 'certificate'],
    who: `${side.word} over ${other.word}`,
    measures,
    expect,
  });
}

function runsOf({ treatments, report }: PartEvidence, { isOf }: Side): readonly StabilityEmitterRun[] {
  const key = select(treatments, isOf)[0]?.treatment.key;
  return report?.stability?.emitterRuns.filter(({ treatment }) => treatment === key) ?? [];
}

/** Pairs the runs of both sides by repetition. */
function inPairs(evidence: PartEvidence, side: Side, other: Side) {
  const others = new Map(runsOf(evidence, other).map((run) => [run.block, run]));
  return runsOf(evidence, side).flatMap((run) => {
    const base = others.get(run.block);
    return base ? [{ run, base }] : [];
  });
}

function needsSeries({ report }: PartEvidence): string | null {
  return report && !report.stability ? 'no run stored a power series' : null;
}

/** Makes a line for ratios of two currents or charges that are expected to be above 1. */
function ratioLine(label: string, values: readonly number[]) {
  return sampleLine(values, { label, unit: '', isRatio: true, expect: 'higher' });
}

function handshakeLines(evidence: PartEvidence) {
  const [early, steady] = [
    runsOf(evidence, tls).map(({ earlyMA, steadyMA }) => earlyMA / steadyMA),
    inPairs(evidence, tls, plain).map(({ run, base }) => run.steadyMA / base.steadyMA),
  ];
  return [
    ratioLine('current after the start of the connection divided by the steady current, TLS 1.2', early),
    ratioLine('steady current, TLS 1.2 divided by plain', steady),
  ];
}

/** Makes lines for the overhead in charge over plain in percentage points: early compared with final. */
function overheadLines(evidence: PartEvidence) {
  const overheads = (side: Side) =>
    inPairs(evidence, side, plain).map(({ run, base }) => ({
      block: run.block,
      early: (run.earlyMAh / base.earlyMAh - 1) * 100,
      final: (run.mAh / base.mAh - 1) * 100,
    }));
  const [ofTls, ofHybrid] = [overheads(tls), overheads(hybrid)];
  const points = { unit: 'percentage points', expect: 'higher' } as const;
  return [
    sampleLine(
      ofTls.map(({ early, final }) => early - final),
      { label: 'overhead of TLS 1.2 over plain, shortly after connecting minus at the end', ...points },
    ),
    sampleLine(
      ofTls.flatMap((one) =>
        ofHybrid.flatMap(({ block, final }) => (block === one.block ? [one.final - final] : [])),
      ),
      { label: 'overhead at the end, TLS 1.2 minus the hybrid', ...points },
    ),
  ];
}

/** Makes a line for the perturbed charge of TLS 1.2 divided by the charge of another configuration. */
export function perturbedLine(
  evidence: PartEvidence,
  { other, what, change }: { other: Side; what: string; change: Parameters<typeof perturbedCharge>[1] },
) {
  const ratios = inPairs(evidence, tls, other).map(
    ({ run, base }) => perturbedCharge(run, change) / base.mAh,
  );
  return ratioLine(`TLS 1.2 over ${other.word}, ${what}`, ratios);
}

/** The study's perturbations, which change only TLS. */
export const perturbations = [
  ...[0.8, 0.9, 1.1, 1.2].map((handshake) => ({
    what: `handshake × ${handshake}`,
    change: { handshake, load: 1 },
  })),
  ...[0.8, 0.9, 1.1, 1.2].map((load) => ({ what: `load × ${load}`, change: { handshake: 1, load } })),
];

/**
 * Makes lines for the ranking with perturbed TLS: TLS stays above both others, and the hybrid above plain.
 */
function sensitivityLines(evidence: PartEvidence) {
  const ratios = inPairs(evidence, hybrid, plain).map(({ run, base }) => run.mAh / base.mAh);
  return [
    ratioLine('hybrid over plain', ratios),
    ...perturbations.flatMap((one) =>
      [plain, hybrid].map((other) => perturbedLine(evidence, { other, ...one })),
    ),
  ];
}

/** The study's three comparisons, with the claimed minimum of d. */
export const pairs = [
  { side: tls, other: plain, from: 0.8 },
  { side: hybrid, other: plain, from: 0.5 },
  { side: tls, other: hybrid, from: 0.2 },
];
export const effectMeasures = [latency, energy];

/** Makes lines for Cohen's d over runs with the interval of Hedges' g, for three pairs. */
function effectLines(evidence: PartEvidence) {
  return effectMeasures.flatMap((measure) =>
    pairs.map(({ side, other, from }): Line | MissingLine => {
      const a = numbersOf(evidence, measure, side.isOf);
      const b = numbersOf(evidence, measure, other.isOf);
      const label = `d for ${describeMeasure(measure).label}, ${side.word} over ${other.word}`;
      const runs = Math.min(a.length, b.length);
      const { cohensD: value } = standardisedDifference(a, b);
      const p = effectPValues(a, b, from);
      if (runs < minRuns || value === null || p === null) {
        const missing = `${plural(runs, 'valid run')} on the smaller side, but at least ${minRuns} are needed`;
        return { label, runs, missing };
      }
      return {
        label,
        unit: '',
        scale: 'value',
        value,
        runs,
        isExact: false,
        region: { from, to: Number.POSITIVE_INFINITY },
        pValues: { inside: p.above, outside: p.below },
        intervalAt: (coverage) => hedgesInterval(a, b, coverage) ?? { lo: value, hi: value },
      };
    }),
  );
}

/** The study's threshold for repeatability, in percent. */
const benchmark = 5;

export function variationLines({ treatments, flagged, report }: PartEvidence): (Line | MissingLine)[] {
  const own = studied.flatMap(({ isOf }) => select(treatments, isOf));
  const acrossRuns = [energy, 'energy.subscriber', latency].map((measure): Line | MissingLine => {
    const groups = own.map((one) =>
      numbersOf({ treatments: [one], flagged }, measure).flatMap((value) =>
        value > 0 ? [Math.log(value)] : [],
      ),
    );
    const label = `variation of ${describeMeasure(measure).label} across runs`;
    const runs = Math.max(0, ...groups.map(({ length }) => length));
    const found = runs < minRuns ? null : pooledSpread(groups);
    if (!found)
      return { label, runs, missing: `${plural(runs, 'valid run')}, but at least ${minRuns} are needed` };
    return {
      label,
      unit: '%',
      scale: 'value',
      value: found.sd * 100,
      runs,
      isExact: found.sd === 0,
      region: { from: 0, to: benchmark },
      intervalAt: (coverage) => {
        const at = pooledSpread(groups, coverage) ?? found;
        return { lo: at.lo * 100, hi: at.hi * 100 };
      },
    };
  });
  const keys = new Set(own.map(({ treatment }) => treatment.key));
  const segments = (report?.stability?.variables ?? []).map(({ label, summaries }) =>
    sampleLine(
      summaries.filter(({ treatment }) => keys.has(treatment)).flatMap(({ segmentCvs }) => segmentCvs),
      {
        label: `variation over segments, ${label.toLowerCase()}`,
        unit: '%',
        expect: { between: [0, benchmark] },
      },
    ),
  );
  return [...acrossRuns, ...segments];
}

/** Counts serial dependence and stationarity in the first run of each configuration. */
function memoryCounts({ treatments, report }: PartEvidence) {
  const keys = studied.flatMap(({ isOf }) => select(treatments, isOf).map(({ treatment }) => treatment.key));
  const current = report?.stability?.variables.find(({ id }) => id === 'current.publisher');
  const memories = (current?.summaries ?? []).flatMap(({ treatment, memory }) =>
    memory && keys.includes(treatment) ? [memory] : [],
  );
  const counted = (label: string, test: 'ljungBox' | 'adf') => ({
    label,
    right: memories.filter((memory) => (memory[test]?.p ?? 1) < 0.05).length,
    of: memories.length,
  });
  return [
    counted('current series in which the Ljung-Box test rejects independence', 'ljungBox'),
    counted('series in which the augmented Dickey-Fuller test rejects a unit root', 'adf'),
  ];
}

/** Makes lines for emitter over receiver under one configuration, by repetition. */
function roleLines(evidence: PartEvidence) {
  return studied.map(({ word, isOf }) => {
    const of = (measure: string) =>
      select(evidence.treatments, isOf).flatMap((one) => valuesOf(one, measure, evidence.flagged));
    const receivers = new Map(of('energy.subscriber').map(({ block, value }) => [block, value]));
    const ratios = of(energy).flatMap(({ block, value }) => {
      const other = receivers.get(block) ?? 0;
      return other > 0 ? [value / other] : [];
    });
    return ratioLine(`energy of the emitter divided by that of the receiver, ${word}`, ratios);
  });
}

const near = (published: number) => ({ between: [published - 0.05, published + 0.05] }) as const;

export const stabilityAwareClaims: readonly Claim[] = [
  {
    id: 'S1',
    part: 'a',
    line: 69,
    printed: ['H_1', 'exceeds that under unencrypted MQTT'],
    says: 'H1: the cumulative energy under TLS 1.2 exceeds that of plain MQTT.',
    test: compare(tls, plain, [energy]),
    see: ['Summary of emitter and receiver'],
  },
  {
    id: 'S2',
    part: 'a',
    line: 69,
    printed: ['H_2', 'strictly between'],
    says: 'H2: the cumulative energy of the hybrid is strictly between plain and TLS 1.2.',
    test: every(compare(hybrid, plain, [energy]), compare(tls, hybrid, [energy])),
    see: ['Summary of emitter and receiver'],
  },
  {
    id: 'S3',
    part: 'a',
    line: 69,
    printed: ['H_3', 'strictly dominated by at least one alternative'],
    says: 'H3: in latency and energy, TLS is strictly dominated by at least one alternative.',
    test: some(...[plain, hybrid].map((other) => compare(tls, other, [energy, latency]))),
    see: ['Summary of emitter and receiver', 'Energy and latency'],
    note: 'The published latency of plain is a round trip, so only the hybrid dominates according to the published values.',
  },
  {
    id: 'S4',
    part: 'a',
    line: 422,
    printed: ['first 20 s', 'higher steady-state current'],
    says: 'TLS causes a current spike in the first 20 s (the handshake) and draws more current than plain in the steady state.',
    test: lines(handshakeLines),
    needs: needsSeries,
    see: ['Handshake and steady state of the emitter', 'Current of the emitter over time'],
  },
  {
    id: 'S5',
    part: 'a',
    line: 426,
    printed: ['highest central tendency and the widest spread'],
    says: 'Latency is highest and most dispersed under TLS and lowest for plain, with the hybrid in between.',
    test: every(
      compare(tls, hybrid, [latency, quartileRange]),
      compare(hybrid, plain, [latency, quartileRange]),
    ),
    see: ['Summary of emitter and receiver', 'Message latency'],
  },
  {
    id: 'S6',
    part: 'a',
    line: 437,
    printed: ['emitter exhibiting higher cumulative energy'],
    says: 'The emitter uses more energy than the receiver under every scheme.',
    test: lines(roleLines),
    needs: needsSeparateDevices,
    see: ['Summary of emitter and receiver', 'Cumulative energy'],
  },
  {
    id: 'S7',
    part: 'a',
    line: 443,
    printed: ['large effect size', 'moderate-to-large'],
    says: 'Effects (Cohen’s d) on latency and energy are large for TLS over plain (0.8), moderate to large for the hybrid over plain (0.5), and meaningful for TLS over the hybrid (0.2).',
    test: lines(effectLines),
    see: ['Effect sizes'],
    note: 'Here, d is computed over runs; the study computes it over samples of one second.',
  },
  {
    id: 'S8',
    part: 'a',
    line: 451,
    printed: ['sharp initial increase', 'consistently higher cumulative burden'],
    says: 'The relative overhead in cumulative energy first rises sharply and then remains stable, with TLS above the hybrid.',
    test: lines(overheadLines),
    needs: needsSeries,
    see: ['Relative overhead of the cumulative energy'],
  },
  {
    id: 'S9',
    part: 'a',
    line: 473,
    printed: ['ranking remained invariant across all perturbations'],
    says: 'The ranking by energy is the same when TLS is perturbed (handshake ±10 and ±20 %, load × 0.8 to 1.2).',
    test: lines(sensitivityLines),
    needs: needsSeries,
    see: ['Ranking when only TLS is perturbed'],
    note: 'According to the study’s Table 5, TLS × 0.8 needs 12.4 mAh, less than the 13.07 mAh of plain.',
  },
  {
    id: 'S10',
    part: 'a',
    line: 521,
    printed: ['18.2', '9.2%'],
    says: 'TLS uses 18.2 % more energy than plain and 9.2 % more than the hybrid (each within ±5 points).',
    test: every(compare(tls, plain, [energy], near(1.182)), compare(tls, hybrid, [energy], near(1.092))),
    see: ['Summary of emitter and receiver'],
  },
  {
    id: 'S11',
    part: 'a',
    line: 521,
    printed: ['12', '10.1', '11.1'],
    says: 'A battery that lasts 12 months with plain lasts 10.1 with TLS and 11.1 with the hybrid (current within ±5 points).',
    test: every(
      compare(tls, plain, ['power.publisher'], near(12 / 10.1)),
      compare(hybrid, plain, ['power.publisher'], near(12 / 11.1)),
    ),
    see: ['Battery life'],
  },
  {
    id: 'S12',
    part: 'a',
    line: 253,
    printed: ['below the 5% threshold'],
    says: 'Coefficients of variation across runs and segments are below 5 %.',
    test: lines(variationLines),
    needs: needsSeries,
    see: ['Coefficients of variation'],
  },
  {
    id: 'S13',
    part: 'a',
    line: 367,
    printed: ['rejection of the null hypothesis of a unit root'],
    says: 'The current series are autocorrelated, and are stationary after the transient.',
    test: count(memoryCounts),
    needs: needsSeries,
    see: ['Memory and stationarity of the first run'],
  },
];
