import { metricOfSeries } from '../../catalogue/flags.ts';
import type { ReportBootstrap } from '../../domain/report/report.ts';
import { formatInterval } from '../../format/interval.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import { pairedTest, welchTest } from '../../statistics/comparisons/t-test.ts';
import { mean } from '../../statistics/descriptive/summary.ts';
import { type BootstrapDifference, bootstrapDifference } from '../../statistics/estimates/bootstrap.ts';
import { baselineOf, match } from '../contrasts.ts';
import { minRuns as overRuns } from '../estimate.ts';
import type { ReportContext } from './report-input.ts';
import { measuredSamples, named, type SeriesKind, seriesOf } from './series.ts';

/** Settings of the published study: blocks of 20 samples, 2000 replicates. */
const blockLength = 20;
const replicates = 2000;
const bins = 40;
/** Minimum number of samples on a side: two blocks. */
const minSamples = 2 * blockLength;
/** Below this number of runs, the hierarchical interval is too short. */
const minRuns = 5;

/** Compares every treatment with its baseline for one kind of series, by resampling and over runs. */
export function bootstrapSeries(context: ReportContext, kind: SeriesKind): ReportBootstrap[] {
  const { baselineId, plan } = context;
  const treatments = context.treatmentsFor(metricOfSeries(kind));
  const samplesOf = (id: string): BlockSamples[] =>
    (treatments.find((entry) => entry.id === id)?.runs ?? [])
      .map(({ runId, block }) => ({ block, samples: measuredSamples(seriesOf(context, runId, kind)) }))
      .filter(({ samples }) => samples.length > 0);
  return treatments.flatMap((treatment) => {
    const baseline = baselineOf(treatment, treatments, baselineId);
    if (!baseline) return [];
    const compared = compareSamples(samplesOf(treatment.id), samplesOf(baseline.id), {
      seed: plan.seed,
      unit: kind.unit,
      level: context.level,
    });
    if (!compared) return [];
    return [{ ...named(kind), treatment: treatment.id, baseline: baseline.id, ...compared }];
  });
}

type Compared = Omit<ReportBootstrap, 'role' | 'metric' | 'label' | 'unit' | 'treatment' | 'baseline'>;

/** Samples of one run. */
interface BlockSamples {
  block: number;
  samples: readonly number[];
}

/**
 * Compares two groups of runs of one experiment; each run is a series of samples. Returns null if a side has
 * no samples. Pure.
 */
export function compareSamples(
  ofTreatment: readonly BlockSamples[],
  ofBaseline: readonly BlockSamples[],
  { seed, unit, level }: { seed: number; unit: string; level: number },
): Compared | null {
  const [a, b] = [ofTreatment, ofBaseline].map((side) => side.map(({ samples }) => samples)) as [
    (readonly number[])[],
    (readonly number[])[],
  ];
  const matched = match(true, [runMeans(ofTreatment), runMeans(ofBaseline)]);
  const [top, bottom] = [mean(matched.a), mean(matched.b)];
  if (top === null || bottom === null) return null;
  const runs = Math.min(matched.a.length, matched.b.length);
  const test =
    runs < overRuns
      ? null
      : matched.isPaired
        ? pairedTest(matched.a, matched.b, level)
        : welchTest(matched.a, matched.b, level);
  const counts = [a, b].map((side) => side.reduce((sum, run) => sum + run.length, 0));
  const isLong = counts.every((count) => count >= minSamples);
  const published = isLong
    ? bootstrapDifference(a, b, {
        scheme: 'concatenated',
        blockType: 'circular',
        blockLength,
        replicates,
        seed,
      })
    : null;
  const shortest = Math.min(...[...a, ...b].map(({ length }) => length));
  const hierarchical =
    isLong && Math.min(a.length, b.length) >= minRuns
      ? bootstrapDifference(a, b, {
          scheme: 'hierarchical',
          level,
          blockType: 'circular',
          blockLength: Math.min(blockLength, shortest),
          replicates,
          seed,
        })
      : null;
  const result = {
    difference: top - bottom,
    runLevel: { lo: test?.lo ?? null, hi: test?.hi ?? null, runs },
    published: published && { ...published.percentile, se: published.se, samples: Math.min(...counts) },
    hierarchical: hierarchical && { ...hierarchical.percentile, se: hierarchical.se },
    blockLength,
    replicates,
    seed,
    distribution: published && distributionOf(published),
  };
  const sides: Sides = {
    runs: [matched.a.length, matched.b.length],
    samples: counts,
    isPaired: matched.isPaired,
  };
  return { ...result, sentences: sentencesOf(result, unit, sides) };
}

function runMeans(runs: readonly BlockSamples[]): { block: number; value: number }[] {
  return runs.flatMap(({ block, samples }) => {
    const value = mean(samples);
    return value === null ? [] : [{ block, value }];
  });
}

function distributionOf({ draws }: BootstrapDifference): ReportBootstrap['distribution'] {
  const from = draws[0] ?? 0;
  const to = draws.at(-1) ?? 0;
  if (!(to > from)) return null;
  const counts = new Array<number>(bins).fill(0);
  for (const draw of draws) {
    const bin = Math.min(bins - 1, Math.floor(((draw - from) / (to - from)) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { from, to, counts };
}

/** Counts for the treatment and for its baseline. */
interface Sides {
  runs: readonly number[];
  samples: readonly number[];
  isPaired: boolean;
}

function sentencesOf(result: Omit<Compared, 'sentences'>, unit: string, sides: Sides): string[] {
  const { difference, runLevel, published, hierarchical } = result;
  const write = (lo: number, hi: number) =>
    formatInterval({ value: difference, lo, hi }, { unit, signed: true }).text;
  const against = (counts: readonly number[]) => counts.map(formatCount).join(' against ');
  const said: string[] = [];
  if (runLevel.lo === null || runLevel.hi === null) {
    said.push(
      runLevel.runs < overRuns
        ? 'Fewer than three runs on a side: too few to estimate the spread between runs, so there is no interval over runs.'
        : 'All runs agree, so there is no interval over runs.',
    );
  } else {
    said.push(
      `Over runs (${sides.isPaired ? `t interval, paired by ${formatCount(runLevel.runs)} repetitions` : `Welch’s t interval, ${against(sides.runs)} runs`}): ${write(runLevel.lo, runLevel.hi)}. This interval uses the spread between runs, so it also applies to further runs of the same kind.`,
    );
  }
  if (published === null) {
    said.push(
      `Fewer than ${minSamples} samples on a side: too few for blocks of ${blockLength}, so nothing is resampled.`,
    );
    return said;
  }
  said.push(
    `Block bootstrap as published (${against(sides.samples)} samples joined, b = ${blockLength}, ${formatCount(replicates)} replicates, seed ${result.seed}): ${write(published.lo, published.hi)}. This interval shows only the precision of the average over these runs and ignores the variation between runs.`,
  );
  if (runLevel.lo !== null && runLevel.hi !== null && published.hi > published.lo) {
    const times = (runLevel.hi - runLevel.lo) / (published.hi - published.lo);
    if (times >= 1.3) {
      said.push(
        `The interval over runs is ${formatNumber(times, 2)} times as wide: runs differ more than their samples suggest, so conclusions are based on the runs.`,
      );
    }
  }
  if (hierarchical !== null) {
    said.push(
      `Resampling runs, then blocks within each run: ${write(hierarchical.lo, hierarchical.hi)}; with so few runs, this interval is slightly too short.`,
    );
  }
  return said;
}
