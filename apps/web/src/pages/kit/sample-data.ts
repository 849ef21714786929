import type { BoxDatum, BoxPanel } from '../../charts/datasets/box-chart-data.ts';
import type { EffectGroup } from '../../charts/datasets/effect-data.ts';
import type { HistogramBin } from '../../charts/datasets/histogram-data.ts';
import type { TrialCell, TrialRow } from '../../charts/datasets/progress-grid-data.ts';
import type { BandPoint, SeriesPoint } from '../../charts/datasets/time-series-data.ts';
import type { PhaseCost } from '../../charts/datasets/waterfall-data.ts';
import type { TreatmentIdentity } from '../../ui/treatment.ts';
import { aes256, cbc, chacha, plain, tls12, treatments } from './samples.ts';

/** A repeatable stand-in for noise, -1 to 1. */
const wobble = (seed: number): number => Math.sin(seed * 12.9898) * Math.cos(seed * 4.1414);

type BoxSample = {
  treatment: TreatmentIdentity;
  mean: number;
  half: number;
  spread: number;
  published?: number;
};

function makeBox({ treatment, mean, half, spread, published }: BoxSample): BoxDatum {
  return {
    treatment,
    p5: mean - spread * 0.8,
    p25: mean - spread * 0.45,
    p50: mean - spread * 0.15,
    p75: mean + spread * 0.4,
    p95: mean + spread * 1.3,
    mean,
    lo: mean - half,
    hi: mean + half,
    ...(published === undefined ? {} : { published }),
  };
}

export const boxPanels: BoxPanel[] = [
  {
    title: 'Ethernet',
    note: '29 runs',
    boxes: [
      makeBox({ treatment: plain, mean: 1.62, half: 0.02, spread: 0.4 }),
      makeBox({ treatment: chacha, mean: 2.21, half: 0.03, spread: 0.55 }),
      makeBox({ treatment: cbc, mean: 2.58, half: 0.04, spread: 0.65 }),
      makeBox({ treatment: tls12, mean: 3.44, half: 0.04, spread: 0.85 }),
      makeBox({ treatment: aes256, mean: 3.93, half: 0.04, spread: 1.0 }),
    ],
  },
  {
    title: 'Wi-Fi',
    note: '29 runs',
    boxes: [
      makeBox({ treatment: plain, mean: 14.6, half: 0.4, spread: 7, published: 24.8 }),
      makeBox({ treatment: chacha, mean: 15.4, half: 0.4, spread: 7.4 }),
      makeBox({ treatment: cbc, mean: 15.9, half: 0.5, spread: 7.8, published: 32.1 }),
      makeBox({ treatment: tls12, mean: 17.6, half: 0.45, spread: 8.4, published: 41.5 }),
      makeBox({ treatment: aes256, mean: 18.4, half: 0.45, spread: 9 }),
    ],
  },
];

export const barGroups = [
  { title: 'Ethernet', values: [2.02, 2.41, 2.79, 3.12, 3.38] },
  { title: 'Wi-Fi', values: [6.08, 6.66, 7.14, 7.58, 7.91] },
].map(({ title, values }) => ({
  title,
  bars: values.map((value, i) => ({
    treatment: treatments[i] ?? plain,
    value,
    lo: value * 0.96,
    hi: value * 1.04,
  })),
}));

const effect = (treatment: TreatmentIdentity, value: number, half: number) => ({
  treatment,
  value,
  lo: value - half,
  hi: value + half,
  g: value * 9,
  p: 0.0004,
});

export const effectGroups: EffectGroup[] = [
  {
    title: 'Ethernet',
    rows: [
      effect(chacha, 1.36, 0.01),
      effect(cbc, 1.59, 0.02),
      effect(tls12, 2.12, 0.01),
      effect(aes256, 2.43, 0.014),
    ],
  },
  {
    title: 'Wi-Fi',
    rows: [
      effect(chacha, 1.05, 0.02),
      { ...effect(cbc, 1.09, 0.02), published: 1.29 },
      effect(tls12, 1.2, 0.025),
      effect(aes256, 1.26, 0.025),
    ],
  },
];

export const differenceGroups: EffectGroup[] = [
  { title: 'Connect time', rows: [effect(tls12, 412, 0.9), effect(aes256, 418, 1.6)] },
];

const seconds = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

export function latencyLine(seed: number, from: number, to: number): SeriesPoint[] {
  return seconds(from, to).map((t) => ({
    t,
    v: 8.6 + (t < 0 ? 3 * Math.exp(-(t + 5) * 0.6) : 0) + wobble(seed + t) * 0.5,
  }));
}

export const latencyBand: BandPoint[] = latencyLine(4, -5, 18).map(({ t, v }) => ({
  t,
  lo: v - 3.2 + wobble(t) * 0.3,
  hi: v + 7.5 + wobble(t + 9) * 1.6,
}));

export const cpuLine = (seed: number, base: number): SeriesPoint[] =>
  seconds(-5, 18).map((t) => ({
    t,
    v: base * (1 - 0.55 * Math.exp(-(t + 5) * 0.7)) + wobble(seed + t) * 0.4,
  }));

export const cpuBand = (base: number): BandPoint[] =>
  seconds(-5, 30).map((t) => {
    const v = base * (1 - 0.55 * Math.exp(-(t + 5) * 0.7));
    return { t, lo: v - 0.5 + wobble(t) * 0.2, hi: v + 0.5 + wobble(t + 3) * 0.2 };
  });

export const bins: HistogramBin[] = Array.from({ length: 120 }, (_, i) => {
  const lo = 6 + i * 0.5;
  const z = (Math.log(lo - 4) - Math.log(12)) / 0.42;
  return {
    lo,
    hi: lo + 0.5,
    count: Math.round(180 * Math.exp(-z * z) + (lo < 64.6 ? 1.4 * Math.exp(-lo / 40) : 0)),
  };
});

export const phases: PhaseCost[] = [
  { name: 'tcp', part: 'set-up', timeMs: 5.2, cpuMs: 0.3, bytes: null, energyJ: 0.016 },
  { name: 'tls', part: 'set-up', timeMs: 48.6, cpuMs: 11.8, bytes: 2210, energyJ: 0.147 },
  { name: 'connect', part: 'set-up', timeMs: 9.4, cpuMs: 0.9, bytes: 124, energyJ: 0.028 },
  { name: 'subscribe', part: 'set-up', timeMs: 8.1, cpuMs: 0.7, bytes: 92, energyJ: 0.024 },
  { name: 'warm-up', part: 'load', timeMs: 5000, cpuMs: 231, bytes: 4.12e6, energyJ: 14.8 },
  { name: 'measure', part: 'load', timeMs: 60_000, cpuMs: 2780, bytes: 49.4e6, energyJ: 178 },
  { name: 'drain', part: 'load', timeMs: 420, cpuMs: 9, bytes: 0, energyJ: 1.2 },
  { name: 'disconnect', part: 'load', timeMs: 3.6, cpuMs: 0.4, bytes: 48, energyJ: 0.011 },
];

function trialCell(row: number, repetition: number): TrialCell {
  const order = (repetition - 1) * 12 + ((row * 5 + repetition * 3) % 12) + 1;
  const value = (6 + (row % 3) * 3.4 + row * 0.3 + wobble(order) * 0.4).toFixed(1);
  const run = { runId: `R-${order}` };
  if (order === 43) return { state: 'running', text: '18 s', detail: '18 of 30 s', progress: 0.6, ...run };
  if (order > 43) return { state: 'planned', text: String(order), detail: `turn ${order} of 72` };
  const detail = `median latency ${value} ms`;
  if (order === 17) return { state: 'flagged', text: value, detail, ...run };
  if (order === 22) return { state: 'retried', text: value, detail, ...run };
  if (order === 30) return { state: 'failed', text: '', detail: 'pi4-c lost', ...run };
  return { state: 'done', text: value, detail, ...run };
}

export const trialRows: TrialRow[] = [plain, chacha, tls12, aes256].flatMap((treatment, k) =>
  ['1', '16', '64'].map((batch, j) => ({
    key: `${treatment.shortLabel}-${batch}`,
    treatment,
    levels: [batch],
    cells: [1, 2, 3, 4, 5, 6].map((repetition) => trialCell(k * 3 + j, repetition)),
  })),
);
