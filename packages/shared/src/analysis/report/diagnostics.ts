import { metricOfSeries } from '../../catalogue/flags.ts';
import type { ReportDiagnostic } from '../../domain/report/report.ts';
import { formatNumber } from '../../format/number.ts';
import { formatSignedP } from '../../format/quantity.ts';
import { augmentedDickeyFuller } from '../../statistics/series/adf.ts';
import {
  autocorrelation,
  ljungBox,
  partialAutocorrelation,
  whiteNoiseBand95,
} from '../../statistics/series/autocorrelation.ts';
import { optimalBlockLength } from '../../statistics/series/block-length.ts';
import type { ReportContext } from './report-input.ts';
import { measuredSamples, named, type SeriesKind, seriesOf } from './series.ts';

/** Minimum number of samples to judge autocorrelation and stationarity. */
export const minSamples = 50;
const maxLags = 40;

/**
 * Diagnoses autocorrelation and stationarity in one run per treatment: the first counting run that is long
 * enough.
 */
export function diagnose(context: ReportContext, kind: SeriesKind): ReportDiagnostic[] {
  return context.treatmentsFor(metricOfSeries(kind)).flatMap(({ id, runs }) => {
    for (const { runId } of runs) {
      const samples = measuredSamples(seriesOf(context, runId, kind));
      if (samples.length < minSamples) continue;
      return [{ ...diagnoseSeries(samples), ...named(kind), treatment: id, runId }];
    }
    return [];
  });
}

type Diagnosed = Omit<ReportDiagnostic, 'role' | 'metric' | 'label' | 'unit' | 'treatment' | 'runId'>;

/** Calculates the autocorrelation of a series, with tests; `acf` is null if the series is constant. Pure. */
export function memoryOf(
  samples: readonly number[],
  { lags, tested }: { lags: number; tested: readonly number[] },
) {
  const most = Math.min(lags, Math.floor(samples.length / 2));
  return {
    n: samples.length,
    acf: autocorrelation(samples, most),
    pacf: partialAutocorrelation(samples, most) ?? [],
    band: whiteNoiseBand95(samples.length),
    ljungBox: tested.flatMap((lag) => ljungBox(samples, lag) ?? []),
    adf: augmentedDickeyFuller(samples),
  };
}

/** Diagnoses one series of at least `minSamples` values. Pure. */
function diagnoseSeries(samples: readonly number[]): Diagnosed {
  const { acf, adf, ...memory } = memoryOf(samples, { lags: maxLags, tested: [10, 20] });
  const block = optimalBlockLength(samples);
  const box = memory.ljungBox;
  return {
    ...memory,
    acf: acf ?? [],
    adf: adf && { statistic: adf.statistic, p: adf.pValue, lag: adf.usedLag, critical5: adf.crit['5%'] },
    block: block && { length: block.circularCeil, capped: block.capped },
    sentences: acf === null ? [constantSentence] : sentencesOf({ adf, box, block }),
  };
}

const constantSentence =
  'The series is constant: it has no autocorrelation, and tests of stationarity do not apply.';

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
  else {
    const found = `ADF ${formatNumber(adf.statistic)}, p ${formatSignedP(adf.pValue)}`;
    said.push(
      adf.pValue < 0.05
        ? `${found}: a unit root is rejected, which suggests a steady level. This test does not detect a start-up transient.`
        : `${found}: a unit root is not rejected, so the level may drift and the mean may depend on the measuring time.`,
    );
  }
  const [first] = box;
  if (first) {
    const found = `Ljung-Box at lag ${first.lag}, p ${formatSignedP(first.p)}`;
    said.push(
      first.p < 0.05
        ? `${found}: neighbouring samples depend on each other, so they are not independent repetitions.`
        : `${found}: no dependence between samples was detected.`,
    );
  }
  if (block?.capped)
    said.push('The automatic block length reached its limit, which indicates a trend or transient.');
  return said;
}
