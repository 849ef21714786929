import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import { nameTreatments } from '../planning/name-treatments.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeDraft, makeTestbed, makeWorkload } from './factories.ts';

/** Experiments to compare, with the expected pairs of treatments. */
export interface ExperimentShape {
  name: string;
  /** Differences between the experiments. */
  experiments: readonly Pick<ExperimentDraft, 'factors' | 'workload'>[];
  /** "E-2 TLS 1.3 / E-1 Plain": a treatment and its baseline, in the order of the treatments. */
  pairs: readonly string[];
}

type Factors = ExperimentDraft['factors'];

const plain: Factors = { security: ['plain'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] };
const aes: Factors = { security: ['TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] };
const chacha: Factors = { security: ['TLS 1.3'], cipherSuite: ['TLS_CHACHA20_POLY1305_SHA256'] };
const both: Factors = { security: ['plain', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] };
const rates: Factors = { rate: [100, 200] };

const usualWorkload = makeWorkload({ warmUpMs: 500, measureMs: 2000, drainTimeoutMs: 5000, window: 100 });

const experimentsOf = (...all: Factors[]) =>
  all.map((factors) => ({ factors: { qos: [0], ...factors }, workload: usualWorkload }));

export const experimentShapes: readonly ExperimentShape[] = [
  {
    name: 'no factor, same treatment',
    experiments: experimentsOf(plain, plain),
    pairs: ['E-2 All runs / E-1 All runs'],
  },
  {
    name: 'no factor, three times',
    experiments: experimentsOf(plain, plain, plain),
    pairs: ['E-2 All runs / E-1 All runs', 'E-3 All runs / E-1 All runs'],
  },
  { name: 'no factor, disjoint', experiments: experimentsOf(plain, aes), pairs: ['E-2 TLS 1.3 / E-1 Plain'] },
  {
    name: 'no factor, three that are disjoint',
    experiments: experimentsOf(plain, aes, chacha),
    pairs: ['E-2 TLS 1.3 · AES-256-GCM / E-1 Plain', 'E-3 TLS 1.3 · ChaCha20-Poly1305 / E-1 Plain'],
  },
  {
    name: 'one factor, same treatments',
    experiments: experimentsOf(both, both),
    pairs: ['E-1 TLS 1.3 / E-1 Plain', 'E-2 Plain / E-1 Plain', 'E-2 TLS 1.3 / E-1 TLS 1.3'],
  },
  {
    name: 'one factor, same treatments under another workload',
    experiments: [
      ...experimentsOf(both),
      { factors: { qos: [0], ...both }, workload: { ...usualWorkload, measureMs: 4000 } },
    ],
    pairs: ['E-1 TLS 1.3 / E-1 Plain', 'E-2 Plain / E-1 Plain', 'E-2 TLS 1.3 / E-1 TLS 1.3'],
  },
  {
    name: 'one factor, overlapping',
    experiments: experimentsOf(both, { ...both, cipherSuite: ['TLS_CHACHA20_POLY1305_SHA256'] }),
    pairs: [
      'E-1 TLS 1.3 · AES-256-GCM / E-1 Plain',
      'E-2 Plain / E-1 Plain',
      'E-2 TLS 1.3 · ChaCha20-Poly1305 / E-2 Plain',
    ],
  },
  {
    name: 'one factor, disjoint',
    experiments: experimentsOf(both, chacha),
    pairs: ['E-1 TLS 1.3 · AES-256-GCM / E-1 Plain', 'E-2 TLS 1.3 · ChaCha20-Poly1305 / E-1 Plain'],
  },
  {
    name: 'one factor that is not security',
    experiments: experimentsOf({ ...plain, ...rates }, { ...plain, ...rates }),
    pairs: ['E-1 200/s / E-1 100/s', 'E-2 100/s / E-1 100/s', 'E-2 200/s / E-1 200/s'],
  },
  {
    name: 'several factors, one level of which the other experiment lacks',
    experiments: experimentsOf(both, { ...both, ...rates }),
    pairs: [
      'E-1 TLS 1.3 · 100/s / E-1 Plain · 100/s',
      'E-2 Plain · 100/s / E-1 Plain · 100/s',
      'E-2 TLS 1.3 · 100/s / E-1 TLS 1.3 · 100/s',
      'E-2 TLS 1.3 · 200/s / E-2 Plain · 200/s',
    ],
  },
  {
    name: 'a third experiment without the baseline',
    experiments: experimentsOf(both, both, aes),
    pairs: [
      'E-1 TLS 1.3 / E-1 Plain',
      'E-2 Plain / E-1 Plain',
      'E-2 TLS 1.3 / E-1 TLS 1.3',
      'E-3 TLS 1.3 / E-1 TLS 1.3',
    ],
  },
];

/** Median latency of a run in ms: all differences are distinct, and each has an interval. */
export function latencyOf(experiment: number, treatment: number, block: number): number {
  const noise = 1 + 0.03 * Math.sin(5 * experiment + 7 * treatment + 3 * block);
  return 10 * (1 + 0.2 * experiment) * (1 + 0.3 * treatment) * (1 + 0.1 * block) * noise;
}

/** The treatments of the experiments of a shape, with the names that the server gives them. */
export function makeShapeTreatments({ experiments }: Pick<ExperimentShape, 'experiments'>) {
  const planned = experiments.flatMap((change, index) => {
    const parsed = parsePlan({ ...makeDraft(), repetitions: 3, ...change }, makeTestbed());
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    return parsed.plan.treatments.map((treatment, place) => ({ index, place, treatment }));
  });
  const names = nameTreatments(planned.map(({ treatment }) => treatment.levels));
  return planned.map(({ index, place, treatment }, at): ComparedTreatment => {
    const experimentId = index + 1;
    return {
      id: `${experimentId}~${treatment.key}`,
      experimentId,
      treatment: { ...treatment, ...names[at] },
      runs: [1, 2, 3].map((block) => ({
        runId: 10 * at + block,
        block,
        flagged: false,
        metrics: { 'latency.p50': latencyOf(index, place, block) },
      })),
      latency: null,
      latencyWithFlagged: null,
    };
  });
}

/** Names a pair: "E-2 TLS 1.3 / E-1 Plain". */
export function pairName({
  treatment,
  baseline,
}: Record<'treatment' | 'baseline', Pick<ComparedTreatment, 'experimentId' | 'treatment'>>): string {
  const [own, other] = [treatment, baseline].map(
    (one) => `E-${one.experimentId} ${one.treatment.shortLabel}`,
  );
  return `${own} / ${other}`;
}

/** Returns the two sides of a pair from the treatments of its shape. */
export function sidesOf<T extends Pick<ComparedTreatment, 'experimentId' | 'treatment'>>(
  pair: string,
  treatments: readonly T[],
): [T, T] {
  const [own, other] = pair
    .split(' / ')
    .map((name) => treatments.find((one) => `E-${one.experimentId} ${one.treatment.shortLabel}` === name));
  if (!own || !other) throw new Error(`${pair}: there is no such treatment`);
  return [own, other];
}

export interface ByHand {
  ratio: number;
  lo: number;
  hi: number;
  /** p-value before Holm. */
  p: number;
}

/** Computes the ratio of two groups of runs independently of the product's statistics. */
export function compareByHand(a: readonly number[], b: readonly number[], isPaired: boolean): ByHand {
  const logs = [a, b].map((values) => values.map(Math.log)) as [number[], number[]];
  const [top, bottom] = logs.map(momentsOf) as [Moments, Moments];
  const paired = momentsOf(logs[0].map((value, i) => value - (logs[1][i] ?? Number.NaN)));
  const squared = isPaired ? paired.squaredError : top.squaredError + bottom.squaredError;
  const df = isPaired
    ? paired.n - 1
    : squared ** 2 / (top.squaredError ** 2 / (top.n - 1) + bottom.squaredError ** 2 / (bottom.n - 1));
  const difference = top.mean - bottom.mean;
  const half = quantileOfT(0.05, df) * Math.sqrt(squared);
  return {
    ratio: Math.exp(difference),
    lo: Math.exp(difference - half),
    hi: Math.exp(difference + half),
    p: tailOfT(Math.abs(difference) / Math.sqrt(squared), df),
  };
}

interface Moments {
  n: number;
  mean: number;
  squaredError: number;
}

function momentsOf(values: readonly number[]): Moments {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { n, mean, squaredError: squares / (n - 1) / n };
}

/** P(|T| > t): with t = sqrt(df) tan(x), the density is proportional to cos(x) to the power of df - 1. */
function tailOfT(t: number, df: number): number {
  const density = (x: number) => Math.cos(x) ** (df - 1);
  const from = Math.atan(t / Math.sqrt(df));
  return integrate(density, from, Math.PI / 2) / integrate(density, 0, Math.PI / 2);
}

function quantileOfT(p: number, df: number): number {
  let [low, high] = [0, 1000];
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (tailOfT(middle, df) > p) low = middle;
    else high = middle;
  }
  return low;
}

/** Integrates with the midpoint rule, which needs no value at the ends. */
function integrate(of: (x: number) => number, from: number, to: number): number {
  const steps = 20_000;
  const width = (to - from) / steps;
  let total = 0;
  for (let i = 0; i < steps; i += 1) total += of(from + (i + 0.5) * width);
  return total * width;
}

/** Holm's step-down adjustment. */
export function holmByHand(ps: readonly number[]): number[] {
  const order = ps.map((_, i) => i).sort((i, j) => (ps[i] ?? 0) - (ps[j] ?? 0));
  const adjusted: number[] = [];
  let largest = 0;
  order.forEach((index, rank) => {
    largest = Math.max(largest, Math.min(1, (ps[index] ?? 1) * (ps.length - rank)));
    adjusted[index] = largest;
  });
  return adjusted;
}
