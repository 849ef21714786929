import {
  type Claim,
  type Contrast,
  contrast,
  count,
  type Derived,
  every,
  type Levels,
  type Line,
  lines,
  type MissingLine,
  type NotTestable,
  type PartEvidence,
  some,
} from '@mqttlab/shared/analysis/claims/claim';
import { describeMeasure, sampleLine, select, valuesOf } from '@mqttlab/shared/analysis/claims/lines';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import type { StabilityEmitterRun } from '@mqttlab/shared/domain/report/report-stability';
import { plural } from '@mqttlab/shared/format/number';
import {
  effectPValues,
  hedgesInterval,
  standardisedDifference,
} from '@mqttlab/shared/statistics/comparisons/effect-size';
import { pooledSpread } from '@mqttlab/shared/statistics/estimates/spread';
import { needsSeparateDevices } from '../claims/needs.ts';
import { perturbedCharge } from './formulas.ts';

/** The three configurations of the study. */
export const isPlain = ({ security, payloadCipher }: Levels) =>
  security === 'plain' && payloadCipher === 'none';
export const isTls = ({ security, cipherSuite }: Levels) =>
  security === 'TLS 1.2' && describeSuite(String(cipherSuite)).keyExchange === 'RSA';
export const isHybrid = ({ payloadCipher }: Levels) => payloadCipher === 'ecdh-p256-aes-128-cbc-as-published';

const energy = 'energy.publisher';
const latency = 'latency.mean';
const across = ['security', 'cipherSuite', 'payloadCipher', 'session', 'certificate'];
const upwards = { from: 0, to: Number.POSITIVE_INFINITY };

/** Width of the middle half of the latencies of a run. */
export const quartileRange: Derived = {
  label: 'interquartile range of latency',
  unit: 'ms',
  kind: 'positive',
  metrics: ['latency.p25', 'latency.p75'],
  of: ([p25, p75]) => (p25 === undefined || p75 === undefined ? null : p75 - p25),
};

type Side = readonly [name: string, select: (levels: Levels) => boolean];
const plain: Side = ['plain', isPlain];
const tls: Side = ['TLS 1.2', isTls];
const hybrid: Side = ['the hybrid', isHybrid];

function compare(
  [name, of]: Side,
  [other, against]: Side,
  rest: Pick<Contrast, 'measures'> & Partial<Contrast>,
) {
  return contrast({ of, against, across, who: `${name} over ${other}`, expect: 'higher', ...rest });
}

function runsOf({ treatments, report }: PartEvidence, [, isOf]: Side): readonly StabilityEmitterRun[] {
  const key = treatments.find(({ treatment }) => isOf(treatment.levels))?.treatment.key;
  return report?.stability?.emitterRuns.filter(({ treatment }) => treatment === key) ?? [];
}

/** Each run of one side next to that of another in the same repetition. */
function inPairs(evidence: PartEvidence, side: Side, other: Side) {
  const others = new Map(runsOf(evidence, other).map((run) => [run.block, run]));
  return runsOf(evidence, side).flatMap((run) => {
    const base = others.get(run.block);
    return base ? [{ run, base }] : [];
  });
}

function needsSeries({ report }: PartEvidence): string | null {
  return report && !report.stability ? 'no run stored a series of power' : null;
}

function handshakeLines(evidence: PartEvidence) {
  return [
    sampleLine(
      runsOf(evidence, tls).map(({ earlyMA, steadyMA }) => earlyMA / steadyMA),
      {
        label: 'current after the start of the connection over the steady current, TLS 1.2',
        unit: 'mA',
        isRatio: true,
        region: { from: 1, to: Number.POSITIVE_INFINITY },
      },
    ),
    sampleLine(
      inPairs(evidence, tls, plain).map(({ run, base }) => run.steadyMA / base.steadyMA),
      {
        label: 'steady current, TLS 1.2 over plain',
        unit: 'mA',
        isRatio: true,
        region: { from: 1, to: Number.POSITIVE_INFINITY },
      },
    ),
  ];
}

/** Percentage points of the overhead of the charge over plain: its early value over its final one. */
function overheadLines(evidence: PartEvidence) {
  const overheads = (side: Side) =>
    inPairs(evidence, side, plain).map(({ run, base }) => ({
      block: run.block,
      early: (run.earlyMAh / base.earlyMAh - 1) * 100,
      final: (run.mAh / base.mAh - 1) * 100,
    }));
  const [ofTls, ofHybrid] = [overheads(tls), overheads(hybrid)];
  const finals = new Map(ofHybrid.map(({ block, final }) => [block, final]));
  return [
    sampleLine(
      ofTls.map(({ early, final }) => early - final),
      {
        label: 'overhead of TLS 1.2 over plain, soon after the connection less at the end',
        unit: 'percentage points',
        region: upwards,
      },
    ),
    sampleLine(
      ofTls.flatMap(({ block, final }) => (finals.has(block) ? [final - (finals.get(block) ?? 0)] : [])),
      { label: 'overhead at the end, TLS 1.2 less the hybrid', unit: 'percentage points', region: upwards },
    ),
  ];
}

/** The ranking with TLS alone perturbed: its charge stays above both others, and the hybrid above plain. */
function sensitivityLines(evidence: PartEvidence) {
  const ratios = (other: Side, change: { handshake: number; load: number }) =>
    inPairs(evidence, tls, other).map(({ run, base }) => perturbedCharge(run, change) / base.mAh);
  const line = (label: string, values: readonly number[]) =>
    sampleLine(values, {
      label,
      unit: 'mAh',
      isRatio: true,
      region: { from: 1, to: Number.POSITIVE_INFINITY },
    });
  const steps = [
    { what: 'handshake of TLS × 0.8', handshake: 0.8, load: 1 },
    { what: 'load of TLS × 0.9', handshake: 1, load: 0.9 },
    { what: 'load of TLS × 0.8', handshake: 1, load: 0.8 },
  ];
  return [
    line(
      'hybrid over plain',
      inPairs(evidence, hybrid, plain).map(({ run, base }) => run.mAh / base.mAh),
    ),
    ...steps.flatMap(({ what, ...change }) =>
      [plain, hybrid].map((other) => line(`TLS 1.2 over ${other[0]}, ${what}`, ratios(other, change))),
    ),
  ];
}

/** Cohen's d over runs with the interval of Hedges' g, for three pairs. */
function effectLines({ treatments, flagged }: PartEvidence) {
  const pairs = [
    { side: tls, other: plain, from: 0.8 },
    { side: hybrid, other: plain, from: 0.5 },
    { side: tls, other: hybrid, from: 0.2 },
  ];
  return [latency, energy].flatMap((measure) =>
    pairs.map(({ side, other, from }): Line | MissingLine => {
      const [a, b] = [side, other].map(([, isOf]) =>
        select(treatments, isOf).flatMap((one) => valuesOf(one, measure, flagged).map(({ value }) => value)),
      ) as [number[], number[]];
      const label = `d of ${describeMeasure(measure).label}, ${side[0]} over ${other[0]}`;
      const runs = Math.min(a.length, b.length);
      const { cohensD } = standardisedDifference(a, b);
      const p = effectPValues(a, b, from);
      if (runs < minRuns || cohensD === null || p === null) {
        return {
          label,
          runs,
          missing: `${plural(runs, 'valid run')} on the smaller side, at least ${minRuns} are needed`,
        };
      }
      return {
        label,
        unit: '',
        scale: 'value',
        value: cohensD,
        runs,
        isExact: false,
        region: { from, to: Number.POSITIVE_INFINITY },
        pValues: { inside: p.above, outside: p.below },
        intervalAt: (coverage) => hedgesInterval(a, b, coverage) ?? { lo: cohensD, hi: cohensD },
      };
    }),
  );
}

/** Percent: the benchmark of repeatability of the study. */
const benchmark = 5;

function variationLines({ treatments, flagged, report }: PartEvidence): (Line | MissingLine)[] {
  const own = [plain, tls, hybrid].flatMap(([, isOf]) => select(treatments, isOf));
  const region = { from: 0, to: benchmark };
  const acrossRuns = ['energy.publisher', 'energy.subscriber', latency].map((measure): Line | MissingLine => {
    const groups = own.map((one) =>
      valuesOf(one, measure, flagged).flatMap(({ value }) => (value > 0 ? [Math.log(value)] : [])),
    );
    const label = `variation of ${describeMeasure(measure).label} across runs`;
    const runs = Math.max(0, ...groups.map(({ length }) => length));
    const found = runs < minRuns ? null : pooledSpread(groups);
    if (!found)
      return { label, runs, missing: `${plural(runs, 'valid run')}, at least ${minRuns} are needed` };
    return {
      label,
      unit: '%',
      scale: 'value',
      value: found.sd * 100,
      runs,
      isExact: found.sd === 0,
      region,
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
      { label: `variation over segments, ${label.toLowerCase()}`, unit: '%', region },
    ),
  );
  return [...acrossRuns, ...segments];
}

/** Serial dependence and stationarity of the first run of each configuration. */
function memoryCounts({ treatments, report }: PartEvidence) {
  const keys = new Set(
    [plain, tls, hybrid].flatMap(([, isOf]) =>
      select(treatments, isOf).map(({ treatment }) => treatment.key),
    ),
  );
  const current = report?.stability?.variables.find(({ id }) => id === 'current.publisher');
  const memories = (current?.summaries ?? []).flatMap(({ treatment, memory }) =>
    memory && keys.has(treatment) ? [memory] : [],
  );
  const counted = (label: string, holds: (memory: (typeof memories)[number]) => boolean) => ({
    label,
    right: memories.filter(holds).length,
    of: memories.length,
  });
  return [
    counted(
      'series of current in which Ljung-Box rejects independence',
      ({ ljungBox }) => (ljungBox?.p ?? 1) < 0.05,
    ),
    counted(
      'series in which the augmented Dickey-Fuller test rejects a unit root',
      ({ adf }) => (adf?.p ?? 1) < 0.05,
    ),
  ];
}

/** Emitter over receiver under one configuration, by repetition. */
function roleLines({ treatments, flagged }: PartEvidence): (Line | MissingLine)[] | NotTestable {
  return [plain, tls, hybrid].map(([name, isOf]) => {
    const [one] = select(treatments, isOf);
    const receivers = new Map(
      one ? valuesOf(one, 'energy.subscriber', flagged).map(({ block, value }) => [block, value]) : [],
    );
    const ratios = (one ? valuesOf(one, energy, flagged) : []).flatMap(({ block, value }) => {
      const other = receivers.get(block);
      return other === undefined || other <= 0 ? [] : [value / other];
    });
    return sampleLine(ratios, {
      label: `energy of the emitter over the receiver, ${name}`,
      unit: 'J',
      isRatio: true,
      region: { from: 1, to: Number.POSITIVE_INFINITY },
    });
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
    test: compare(tls, plain, { measures: [energy] }),
    see: 'Summary of the emitter',
  },
  {
    id: 'S2',
    part: 'a',
    line: 69,
    printed: ['H_2', 'strictly between'],
    says: 'H2: the cumulative energy of the hybrid lies strictly between plain and TLS 1.2.',
    test: every(compare(hybrid, plain, { measures: [energy] }), compare(tls, hybrid, { measures: [energy] })),
    see: 'Summary of the emitter',
  },
  {
    id: 'S3',
    part: 'a',
    line: 69,
    printed: ['H_3', 'strictly dominated by at least one alternative'],
    says: 'H3: TLS is strictly dominated in latency and energy by at least one alternative.',
    test: some(...[plain, hybrid].map((other) => compare(tls, other, { measures: [energy, latency] }))),
    see: 'Energy and latency',
    note: 'The printed latency of plain is a round trip, so that as printed only the hybrid dominates.',
  },
  {
    id: 'S4',
    part: 'a',
    line: 422,
    printed: ['first 20 s', 'higher steady-state current'],
    says: 'TLS draws a spike of current in the first 20 s, the handshake, and then more than plain in the steady state.',
    test: lines(handshakeLines),
    needs: needsSeries,
    see: 'Current of the emitter over time',
  },
  {
    id: 'S5',
    part: 'a',
    line: 426,
    printed: ['highest central tendency and the widest spread'],
    says: 'Latency is highest and most dispersed under TLS, lowest for plain, with the hybrid between.',
    test: every(
      compare(tls, hybrid, { measures: [latency, quartileRange] }),
      compare(hybrid, plain, { measures: [latency, quartileRange] }),
    ),
    see: 'Message latency',
  },
  {
    id: 'S6',
    part: 'a',
    line: 437,
    printed: ['emitter exhibiting higher cumulative energy'],
    says: 'The emitter uses more energy than the receiver under every scheme.',
    test: lines(roleLines),
    needs: needsSeparateDevices,
    see: 'Cumulative energy',
  },
  {
    id: 'S7',
    part: 'a',
    line: 443,
    printed: ['large effect size', 'moderate-to-large'],
    says: 'Effects (Cohen’s d) on latency and energy: TLS over plain large (0.8), the hybrid moderate to large (0.5), TLS over the hybrid meaningful (0.2).',
    test: lines(effectLines),
    see: 'Effect sizes',
    note: 'Over runs; the study computes d over samples of one second.',
  },
  {
    id: 'S8',
    part: 'a',
    line: 451,
    printed: ['sharp initial increase', 'consistently higher cumulative burden'],
    says: 'The relative overhead of the cumulative energy rises sharply at first, then is stable, with TLS above the hybrid.',
    test: lines(overheadLines),
    needs: needsSeries,
    see: 'Relative overhead of the cumulative energy',
  },
  {
    id: 'S9',
    part: 'a',
    line: 473,
    printed: ['ranking remained invariant across all perturbations'],
    says: 'The ranking by energy is the same when TLS is perturbed (handshake ±10 and ±20 %, load × 0.8 to 1.2).',
    test: lines(sensitivityLines),
    needs: needsSeries,
    see: 'Ranking with TLS alone perturbed',
    note: 'By the study’s own Table 5, TLS × 0.8 needs 12.4 mAh, less than the 13.07 of plain.',
  },
  {
    id: 'S10',
    part: 'a',
    line: 521,
    printed: ['18.2', '9.2%'],
    says: 'TLS uses 18.2 % more energy than plain and 9.2 % more than the hybrid (each within ±5 points).',
    test: every(
      compare(tls, plain, { measures: [energy], expect: near(1.182) }),
      compare(tls, hybrid, { measures: [energy], expect: near(1.092) }),
    ),
    see: 'Summary of the emitter',
  },
  {
    id: 'S11',
    part: 'a',
    line: 521,
    printed: ['12', '10.1', '11.1'],
    says: 'A battery that lasts 12 months with plain lasts 10.1 with TLS and 11.1 with the hybrid (current within ±5 points).',
    test: every(
      compare(tls, plain, { measures: ['power.publisher'], expect: near(12 / 10.1) }),
      compare(hybrid, plain, { measures: ['power.publisher'], expect: near(12 / 11.1) }),
    ),
    see: 'Battery life',
  },
  {
    id: 'S12',
    part: 'a',
    line: 253,
    printed: ['below the 5% threshold'],
    says: 'Coefficients of variation across runs and segments are below 5 %.',
    test: lines(variationLines),
    needs: needsSeries,
    see: 'Coefficients of variation',
  },
  {
    id: 'S13',
    part: 'a',
    line: 367,
    printed: ['rejection of the null hypothesis of a unit root'],
    says: 'The series of current are autocorrelated, and stationary after the transient.',
    test: count(memoryCounts),
    needs: needsSeries,
    see: 'Memory and stationarity',
  },
];
