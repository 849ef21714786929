import type { ReportDiagnostic } from '../../domain/report/report.ts';
import { formatNumber } from '../../format/number.ts';
import { formatSignedP } from '../../format/quantity.ts';
import { optimalBlockLength } from '../../statistics/estimates/bootstrap.ts';
import { augmentedDickeyFuller } from '../../statistics/series/adf.ts';
import {
  autocorrelation,
  ljungBox,
  partialAutocorrelation,
  whiteNoiseBand95,
} from '../../statistics/series/autocorrelation.ts';
import type { ReportContext } from './report-input.ts';
import { measuredSamples, type SeriesKind, seriesOf } from './series-kinds.ts';

/** Fewer samples say too little about memory and stationarity. */
export const minSamples = 50;
const maxLags = 40;

/** Memory and stationarity of one Run of each Treatment: the first that counts and is long enough. */
export function diagnose(context: ReportContext, kind: SeriesKind): ReportDiagnostic[] {
  return context.treatments.flatMap(({ id, runs }) => {
    for (const { runId } of runs) {
      const samples = measuredSamples(seriesOf(context, runId, kind));
      if (samples.length < minSamples) continue;
      return [{ ...diagnoseSeries(samples), ...named(kind), treatment: id, runId }];
    }
    return [];
  });
}

function named({ role, metric, label, unit }: SeriesKind) {
  return { role, metric, label, unit };
}

type Diagnosed = Omit<ReportDiagnostic, 'role' | 'metric' | 'label' | 'unit' | 'treatment' | 'runId'>;

/** Of one series of at least `minSamples` values. Pure. */
export function diagnoseSeries(samples: readonly number[]): Diagnosed {
  const n = samples.length;
  const lags = Math.min(maxLags, Math.floor(n / 2));
  const acf = autocorrelation(samples, lags);
  const adf = augmentedDickeyFuller(samples);
  const block = optimalBlockLength(samples);
  const box = [10, 20].flatMap((lag) => ljungBox(samples, lag) ?? []);
  return {
    n,
    acf: acf ?? [],
    pacf: partialAutocorrelation(samples, lags) ?? [],
    band: whiteNoiseBand95(n),
    ljungBox: box,
    adf: adf && { statistic: adf.statistic, p: adf.pValue, lag: adf.usedLag, critical5: adf.crit['5%'] },
    block: block && { length: block.circularCeil, capped: block.capped },
    sentences: acf === null ? [constantSentence] : sentencesOf({ adf, box, block }),
  };
}

const constantSentence =
  'The series is constant: it has no autocorrelation, and no test of stationarity applies.';

function sentencesOf({
  adf,
  box,
  block,
}: {
  adf: { statistic: number; pValue: number } | null;
  box: readonly { lag: number; p: number }[];
  block: { circularCeil: number; capped: boolean } | null;
}): string[] {
  const said: string[] = [];
  if (adf === null) said.push('The stationarity test cannot be computed for this series.');
  else if (adf.pValue < 0.05) {
    said.push(
      `ADF ${formatNumber(adf.statistic)}, p ${formatSignedP(adf.pValue)}: a unit root is rejected, which speaks for a steady level; a start-up transient would not show in this test.`,
    );
  } else {
    said.push(
      `ADF ${formatNumber(adf.statistic)}, p ${formatSignedP(adf.pValue)}: a unit root is not rejected, so the level may drift and the mean may depend on how long was measured.`,
    );
  }
  const [first] = box;
  if (first) {
    said.push(
      first.p < 0.05
        ? `Ljung-Box at lag ${first.lag}, p ${formatSignedP(first.p)}: neighbouring samples depend on each other, so they are no independent repetitions.`
        : `Ljung-Box at lag ${first.lag}, p ${formatSignedP(first.p)}: no dependence between samples was found.`,
    );
  }
  if (block?.capped) {
    said.push('The automatic block length hit its cap: a sign of trend or transient.');
  }
  return said;
}
