import { findMetric } from '../../catalogue/metrics.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { hedgesInterval } from '../../statistics/comparisons/effect-size.ts';
import { contrastTreatments } from '../contrasts.ts';
import { levelOf } from '../counting-runs.ts';
import { estimateValues, usualLevel } from '../estimate.ts';
import { detectableDifference } from '../resolution.ts';
import { makeCompared, makeNormal } from './draws.ts';

/** Repeated draws of one situation, evaluated by the functions that pages and reports use. */
export interface Scenario {
  name: string;
  /**
   * `coverage`, `careful`, `adaptive`: share of intervals that contain the true value. `error`: share of
   * families with a false claim. `power`: share of contrasts of the stated size that were resolved.
   */
  kind: 'coverage' | 'careful' | 'error' | 'adaptive' | 'power';
  /** True if the interval contains the true value, a false claim was made, or the true difference was detected. */
  draw(): boolean;
}

type Draw = () => number;

const sizes = [3, 5, 10] as const;
const logSpreads = [0.1, 0.3, 0.5, 1] as const;
/** Effect shared by a repetition, such as room temperature or another program. */
const blockSpread = 0.3;

function metricWith(id: string): MetricDefinition {
  const found = findMetric(id);
  if (!found) throw new RangeError(`there is no metric ${id}`);
  return found;
}

/** A positive, a signed and a counted quantity. */
const positive = metricWith('latency.p50');
const signed = metricWith('energyNet.total');
const lost = metricWith('count.lost');

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
    ...[2, 3, 5].flatMap((n) =>
      [1, 5, 10].flatMap((contrasts) => [
        ...[0.5, 1, 2].map((quanta) => quantisedLatency({ n, contrasts, quanta }, normal())),
        smallCounts({ n, contrasts }, normal()),
      ]),
    ),
    ...sizes.flatMap((n) =>
      [1, 3, 10].flatMap((contrasts) =>
        [0, 0.5].map((correlation) => promisedPower({ n, contrasts, correlation }, normal())),
      ),
    ),
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
  /** Spread between runs, for treatment and baseline. */
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

/** Minimum and maximum repetitions of a stopping rule. */
const fewest = 5;
const most = 40;

/** Adds runs until the interval of every treatment is narrow enough, then checks the interval of one treatment. */
function adaptive(
  { treatments, spread, stopsAbout }: { treatments: number; spread: number; stopsAbout: number },
  normal: Draw,
): Scenario {
  const level = levelOf({ stopping: { metric: positive.id, targetPercent: 1, atLeast: fewest } });
  // The approximate width of the interval after that many runs.
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

/**
 * Makes a scenario with five treatments that do not differ from their baseline, one of them more variable.
 */
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

interface Family {
  /** Repetitions. */
  n: number;
  contrasts: number;
}

/** True if any contrast between equal treatments claims a difference; the instrument rounds their values. */
function claimsAnything({ n, contrasts }: Family, metric: MetricDefinition, draw: Draw): boolean {
  const treatments = Array.from({ length: contrasts + 1 }, (_, place) =>
    makeCompared(place, times(n, draw), { metric: metric.id }),
  );
  return contrastTreatments({ treatments, baselineId: treatments[0]?.id ?? '', metric, flagged: false }).some(
    ({ outcome }) => outcome === 'resolved' || outcome === 'exact',
  );
}

function quantisedLatency({ quanta, ...family }: Family & { quanta: number }, normal: Draw): Scenario {
  const step = 0.001;
  return {
    name: `false claim from latency in steps of 1 us, spread ${quanta} steps, ${familyWords(family)}`,
    kind: 'error',
    draw: () =>
      claimsAnything(family, positive, () => step * Math.max(1, Math.round(112.4 + quanta * normal()))),
  };
}

function smallCounts(family: Family, normal: Draw): Scenario {
  return {
    name: `false claim from counts around 1, spread 1, ${familyWords(family)}`,
    kind: 'error',
    draw: () => claimsAnything(family, lost, () => Math.max(0, Math.round(1 + normal()))),
  };
}

function familyWords({ n, contrasts }: Family): string {
  return `n = ${n}, ${contrasts} contrast${contrasts === 1 ? '' : 's'}`;
}

/**
 * Makes a scenario in which one contrast has the smallest detectable difference shown in the wizard; the
 * spread of differences is known.
 */
function promisedPower({ correlation, ...family }: Family & { correlation: number }, normal: Draw): Scenario {
  const { n, contrasts } = family;
  const spread = 0.1;
  const [shared, own] = [spread * Math.sqrt(correlation), spread * Math.sqrt(1 - correlation)];
  const percent = detectableDifference(
    { scale: 'ratio', sdOfDifferences: own * Math.SQRT2, contrasts, level: usualLevel },
    n,
  );
  if (percent === null) throw new RangeError(`no detectable difference is stated for ${n} repetitions`);
  return {
    name: `promised difference found, ${familyWords(family)}, block correlation ${correlation}`,
    kind: 'power',
    draw: () => {
      const blocks = times(n, () => shared * normal());
      const treatments = Array.from({ length: contrasts + 1 }, (_, place) =>
        makeCompared(
          place,
          // Far above the resolution of the metric.
          blocks.map(
            (block) => 1000 * (place === 1 ? 1 + percent / 100 : 1) * Math.exp(block + own * normal()),
          ),
          { metric: positive.id },
        ),
      );
      const [first] = contrastTreatments({
        treatments,
        baselineId: treatments[0]?.id ?? '',
        metric: positive,
        flagged: false,
      });
      return first?.outcome === 'resolved';
    },
  };
}
