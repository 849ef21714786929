import type { ReportResponse } from '../../domain/report/report.ts';
import { formatNumber } from '../../format/number.ts';
import { formatSignedP } from '../../format/quantity.ts';
import { cohensDz } from '../../statistics/comparisons/effect-size.ts';
import { friedman, kruskalWallis } from '../../statistics/comparisons/k-sample.ts';
import { mannWhitney } from '../../statistics/comparisons/mann-whitney.ts';
import { adjustBenjaminiHochberg, adjustBonferroni } from '../../statistics/comparisons/multiple-testing.ts';
import { pairedTest, studentTest } from '../../statistics/comparisons/t-test.ts';
import { wilcoxonSignedRank } from '../../statistics/comparisons/wilcoxon.ts';
import type { Contrast, TreatmentEstimate } from '../contrasts.ts';

type OtherMethods = NonNullable<ReportResponse['otherMethods']>;

/**
 * The contrasts of a response once more, by methods that assume less or other things: a reader sees whether a finding
 * hangs on the choice of the method. Nothing is concluded from them. null without a contrast that has a p.
 */
export function compareMethods(
  contrasts: readonly Contrast[],
  estimates: readonly TreatmentEstimate[],
): OtherMethods | null {
  const tested = contrasts.filter(({ pAlone }) => pAlone !== null);
  if (tested.length === 0) return null;
  const alone = tested.map(({ pAlone }) => pAlone ?? 1);
  const [bonferroni, discovery] = [adjustBonferroni(alone), adjustBenjaminiHochberg(alone)];
  return {
    rows: tested.map((contrast, index) => ({
      treatment: contrast.treatment.id,
      baseline: contrast.baseline.id,
      holm: contrast.p,
      bonferroni: bonferroni[index] ?? null,
      falseDiscovery: discovery[index] ?? null,
      ...onPlainScale(contrast),
      ...byRanks(contrast),
    })),
    allTogether: allTogether(estimates),
  };
}

/** Without logarithms and with one variance for both sides, as many papers do it. */
function onPlainScale({ method, values: { treatment, baseline } }: Contrast) {
  const isPaired = method === 'paired by repetition';
  const test = isPaired ? pairedTest(treatment, baseline) : studentTest(treatment, baseline);
  return { student: test?.p ?? null, dz: isPaired && test ? cohensDz(treatment, baseline) : null };
}

/** Exact where there are no ties; `leastP` is what so few runs can give at best. */
function byRanks({ method, values: { treatment, baseline } }: Contrast) {
  if (method === 'paired by repetition') {
    const test = wilcoxonSignedRank(treatment, baseline);
    return { ranks: test?.pExact ?? test?.p ?? null, leastP: Math.min(1, 2 ** (1 - treatment.length)) };
  }
  const test = mannWhitney(treatment, baseline);
  const arrangements = binomial(treatment.length + baseline.length, baseline.length);
  return { ranks: test?.pExact ?? test?.p ?? null, leastP: Math.min(1, 2 / arrangements) };
}

function binomial(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i += 1) ways = (ways * (n - k + i)) / i;
  return Math.round(ways);
}

/** Whether the treatments differ at all: by repetition where every one has all of them, else as independent groups. */
function allTogether(estimates: readonly TreatmentEstimate[]): string | null {
  const groups = estimates.map(({ values }) => values).filter((values) => values.length > 0);
  if (groups.length < 3) return null;
  const blocksOf = (values: (typeof groups)[number]) => values.map(({ block }) => block).join();
  const isComplete = groups.every((values) => blocksOf(values) === blocksOf(groups[0] ?? []));
  const numbers = groups.map((values) => values.map(({ value }) => value));
  const byBlock = isComplete ? friedman(numbers) : null;
  const words = `all ${groups.length} treatments alike`;
  if (byBlock) {
    return `Friedman, ${words}: χ² ${formatNumber(byBlock.chi2)} with ${byBlock.df} degrees of freedom, p ${formatSignedP(byBlock.p)}.`;
  }
  const independent = kruskalWallis(numbers);
  return independent === null
    ? null
    : `Kruskal-Wallis, ${words}: H ${formatNumber(independent.h)} with ${independent.df} degrees of freedom, p ${formatSignedP(independent.p)}.`;
}
