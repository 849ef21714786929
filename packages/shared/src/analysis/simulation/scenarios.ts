import { metrics } from '../../catalogue/metrics.ts';
import type { MetricDefinition, Quantity } from '../../domain/runs/verdict.ts';
import { hedgesInterval } from '../../statistics/comparisons/effect-size.ts';
import { contrastTreatments } from '../contrasts.ts';
import { levelOf } from '../counting-runs.ts';
import { estimateValues } from '../estimate.ts';
import { makeCompared, makeNormal } from './draws.ts';

/** Repeated draws of one situation, judged by the functions that pages and reports call. */
export interface Scenario {
  name: string;
  /** `coverage`, `careful`, `adaptive`: intervals that hold the truth. `error`: families with a false claim. */
  kind: 'coverage' | 'careful' | 'error' | 'adaptive';
  /** True where the interval holds the truth, or a false claim was made. */
  draw(): boolean;
}

type Draw = () => number;

const sizes = [3, 5, 10] as const;
const logSpreads = [0.1, 0.3, 0.5, 1] as const;
/** What repetitions share: a warm room, another program. */
const blockSpread = 0.3;

function metricWith(quantity: Quantity): MetricDefinition {
  const found = metrics.find((metric) => metric.quantity === quantity);
  if (!found) throw new RangeError(`no metric is ${quantity}`);
  return found;
}

const positive = metricWith('positive');
const signed = metricWith('signed');

const holds = (truth: number, { lo, hi }: { lo: number | null; hi: number | null }) =>
  lo !== null && hi !== null && lo <= truth && truth <= hi;

const times = (n: number, draw: Draw) => Array.from({ length: n }, draw);

export function makeScenarios(seed: number): Scenario[] {
  let used = 0;
  const normal = () => {
    used += 1;
    return makeNormal(seed + 7919 * used);
  };
  return [
    ...sizes.flatMap((n) => [
      estimateOfNormal(n, normal()),
      ...logSpreads.map((s) => estimateOfLogs(n, s, normal())),
    ]),
    ...sizes.flatMap((n) =>
      [true, false].flatMap((isPaired) => [
        ...logSpreads.map((s) => ratioOfLogs({ n, isPaired, spreads: [s, s] }, normal())),
        ratioOfLogs({ n, isPaired, spreads: [0.4, 0.1] }, normal()),
        differenceOfNormals({ n, isPaired, spreads: [1, 1] }, normal()),
        differenceOfNormals({ n, isPaired, spreads: [4, 1] }, normal()),
      ]),
    ),
    ...sizes.flatMap((n) => [0, 1, 2].map((delta) => effectSize(n, delta, normal()))),
    ...[1, 6].flatMap((treatments) =>
      [0.05, 0.1, 0.3].flatMap((spread) =>
        [6, 10, 20].map((stopsAbout) => adaptive({ treatments, spread, stopsAbout }, normal())),
      ),
    ),
    ...sizes.flatMap((n) => [1, 4].map((ratio) => familyOf({ n, ratio }, normal()))),
  ];
}

function estimateOfNormal(n: number, normal: Draw): Scenario {
  return {
    name: `mean of a signed quantity, normal, n = ${n}`,
    kind: 'coverage',
    draw: () =>
      holds(
        10,
        estimateValues(
          times(n, () => 10 + normal()),
          signed,
        ),
      ),
  };
}

function estimateOfLogs(n: number, spread: number, normal: Draw): Scenario {
  return {
    name: `geometric mean, log-normal sigma ${spread}, n = ${n}`,
    kind: 'coverage',
    draw: () =>
      holds(
        2,
        estimateValues(
          times(n, () => 2 * Math.exp(spread * normal())),
          positive,
        ),
      ),
  };
}

interface Pairing {
  n: number;
  isPaired: boolean;
  /** Of treatment and baseline, from run to run. */
  spreads: readonly [number, number];
}

function pairingWords({ n, isPaired, spreads: [a, b] }: Pairing): string {
  return `${isPaired ? 'paired' : 'two experiments'}, spread ${a}${a === b ? '' : ` against ${b}`}, n = ${n}`;
}

function kindOf({ n, isPaired }: Pairing): Scenario['kind'] {
  return !isPaired && n === 3 ? 'careful' : 'coverage';
}

function ratioOfLogs(pairing: Pairing, normal: Draw): Scenario {
  const { n, isPaired, spreads } = pairing;
  return {
    name: `ratio, log-normal, ${pairingWords(pairing)}`,
    kind: kindOf(pairing),
    draw: () => {
      const blocks = times(n, () => (isPaired ? blockSpread * normal() : 0));
      const side = (centre: number, spread: number) =>
        blocks.map((block) => centre * Math.exp(block + spread * normal()));
      return holds(1.5, contrastOf(side(3, spreads[0]), side(2, spreads[1]), { metric: positive, isPaired }));
    },
  };
}

function differenceOfNormals(pairing: Pairing, normal: Draw): Scenario {
  const { n, isPaired, spreads } = pairing;
  return {
    name: `difference, normal, ${pairingWords(pairing)}`,
    kind: kindOf(pairing),
    draw: () => {
      const blocks = times(n, () => (isPaired ? 2 * normal() : 0));
      const side = (centre: number, spread: number) =>
        blocks.map((block) => centre + block + spread * normal());
      return holds(1, contrastOf(side(11, spreads[0]), side(10, spreads[1]), { metric: signed, isPaired }));
    },
  };
}

function contrastOf(
  a: readonly number[],
  b: readonly number[],
  { metric, isPaired }: { metric: MetricDefinition; isPaired: boolean },
): { lo: number | null; hi: number | null } {
  const baseline = makeCompared(0, b, { metric: metric.id });
  const treatment = makeCompared(1, a, { metric: metric.id, experimentId: isPaired ? 1 : 2 });
  const [found] = contrastTreatments({
    treatments: [baseline, treatment],
    baselineId: baseline.id,
    metric,
    flagged: false,
  });
  return found ?? { lo: null, hi: null };
}

function effectSize(n: number, delta: number, normal: Draw): Scenario {
  return {
    name: `Hedges g, true effect ${delta}, n = ${n}`,
    kind: 'coverage',
    draw: () => {
      const found = hedgesInterval(
        times(n, () => delta + normal()),
        times(n, normal),
      );
      return found !== null && holds(delta, found);
    },
  };
}

/** Fewest repetitions that a stopping rule may ask for, and the most it may take. */
const fewest = 5;
const most = 40;

/** Runs until the interval of every treatment is narrow enough; then one treatment's interval is looked at. */
function adaptive(
  { treatments, spread, stopsAbout }: { treatments: number; spread: number; stopsAbout: number },
  normal: Draw,
): Scenario {
  const level = levelOf({ stopping: { metric: positive.id, targetPercent: 1, atLeast: fewest } });
  // About as wide as the interval is after that many runs.
  const target = Math.expm1((2.2 * spread) / Math.sqrt(stopsAbout));
  return {
    name: `after stopping at about ${stopsAbout} repetitions, ${treatments === 1 ? '1 treatment' : `${treatments} treatments`}, sigma ${spread}`,
    kind: 'adaptive',
    draw: () => {
      const all = times(treatments, () => 0).map(() => times(fewest, () => Math.exp(spread * normal())));
      for (;;) {
        const estimates = all.map((values) => estimateValues(values, positive, level));
        const isNarrow = estimates.every(({ relHalfWidth }) => (relHalfWidth ?? 1e9) <= target);
        const [first] = estimates;
        if (first && (isNarrow || (all[0]?.length ?? most) >= most)) return holds(1, first);
        for (const values of all) values.push(Math.exp(spread * normal()));
      }
    },
  };
}

/** Five treatments that do not differ from their baseline, one of them more variable. */
function familyOf({ n, ratio }: { n: number; ratio: number }, normal: Draw): Scenario {
  return {
    name: `any of five equal treatments called different, ${ratio === 1 ? 'equal spread' : `one ${ratio} times as variable`}, n = ${n}`,
    kind: 'error',
    draw: () => {
      const blocks = times(n, () => blockSpread * normal());
      const treatments = Array.from({ length: 6 }, (_, place) =>
        makeCompared(
          place,
          blocks.map((block) => Math.exp(block + 0.1 * (place === 1 ? ratio : 1) * normal())),
          { metric: positive.id },
        ),
      );
      return contrastTreatments({
        treatments,
        baselineId: treatments[0]?.id ?? '',
        metric: positive,
        flagged: false,
      }).some(({ outcome }) => outcome === 'resolved');
    },
  };
}
