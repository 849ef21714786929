import type { ReportStability, StabilityVariable } from '../../../domain/report/report-stability.ts';
import { formatNumber, NO_VALUE } from '../../../format/number.ts';
import type { DocumentBuilder } from '../../document/blocks.ts';
import { intervalText, pText } from '../../document/words.ts';
import type { FigureContext } from '../../drawing/treatments.ts';
import { type Configuration, ofStudy, printed } from './configurations.ts';

const publishedVariation: Readonly<Record<string, string>> = {
  'current.publisher': 'CV of current',
  latency: 'CV of latency',
};
/** As printed: the first lag of the published series inside the band of white noise. */
const publishedFirstInside = 13;

/** Every statistic of the study, on the samples as they are. */
export function addStatistics(
  builder: DocumentBuilder,
  context: FigureContext,
  { stability, rows }: { stability: ReportStability; rows: readonly Configuration[] },
): void {
  builder.heading('Stability in time and from run to run');
  builder.paragraph(samplingSentence(stability));
  for (const variable of stability.variables) {
    builder.table(
      `${variable.label}, ${variable.unit}: location, spread and repeatability of the unsmoothed samples`,
      summaryTable(context, variable, rows),
    );
  }
  for (const variable of stability.variables) {
    builder.table(
      `${variable.label}: memory and stationarity of the first run`,
      memoryTable(context, variable),
    );
  }
  builder.note(
    `Published: the autocorrelation of the current falls inside the band of white noise at lag ${publishedFirstInside}, so that blocks of ${stability.blockLength} samples were resampled; a coefficient of variation across runs below 5 % was the benchmark.`,
  );
  for (const variable of stability.variables) {
    builder.table(
      `${variable.label}: difference from plain, block bootstrap and effect size`,
      contrastTable(context, variable),
    );
  }
  builder.table('Emitter against receiver: cross-correlation of first differences', {
    columns: [
      { head: 'Configuration' },
      { head: 'Run' },
      { head: 'r at lag 0', format: (value) => formatNumber(value) },
      { head: 'Strongest r', format: (value) => formatNumber(value) },
      { head: 'at lag, samples' },
      { head: '95 % band', format: (value) => formatNumber(value) },
    ],
    rows: ofStudy(context, stability.crossCorrelation).map(({ treatment, runId, lags, strongest, band }) => [
      context.name(treatment),
      runId,
      lags.find(({ lag }) => lag === 0)?.r ?? null,
      strongest.r,
      String(strongest.lag),
      band,
    ]),
  });
  if (stability.isOneMachine) {
    builder.note(
      'Emitter and receiver run on one machine here: both currents are of the same device, so that they go together at lag 0 by construction. On two boards this table says whether they do.',
    );
  }
}

function samplingSentence({ stepMs, averaged, segmentMs, volts }: ReportStability): string {
  const how =
    averaged > 1
      ? `${averaged} samples a second were averaged to one, as published`
      : `the run is too short for one value a second (published: 600 of them), so that the samples every ${stepMs} ms are taken as they are`;
  return `All of this stands on the samples of the measure phase: ${how}. Segments are ${formatNumber(segmentMs / 1000)} s long${segmentMs < 120_000 ? ', a fifth of the run' : ', as published'}. Current is power over ${formatNumber(volts)} V.`;
}

function summaryTable(
  context: FigureContext,
  { id, summaries }: StabilityVariable,
  rows: readonly Configuration[],
) {
  const figures = ['Mean', 'SD', 'Median', 'Mode', 'P25', 'P75'].map((head) => ({
    head,
    format: (value: number) => formatNumber(value, 4),
  }));
  const percent = (value: number) => formatNumber(value);
  const metric = publishedVariation[id];
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Samples' },
      ...figures,
      { head: 'CV across runs', unit: '%', format: percent },
      { head: 'CV of segments', unit: '%', format: percent },
      ...(metric ? [{ head: 'published', unit: '%' }] : []),
    ],
    rows: ofStudy(context, summaries).map((one) => {
      const configuration = rows.find((row) => row.one?.treatment.key === one.treatment);
      return [
        context.name(one.treatment),
        one.samples,
        one.mean,
        one.sd,
        one.median,
        one.mode,
        one.p25,
        one.p75,
        one.cvRuns,
        one.cvSegments,
        ...(metric ? [printed(metric, configuration?.published ?? null)] : []),
      ];
    }),
  };
}

function memoryTable(context: FigureContext, { summaries }: StabilityVariable) {
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Samples' },
      { head: 'r at lag 1', format: (value: number) => formatNumber(value) },
      { head: 'First lag in the band' },
      { head: 'Ljung-Box Q', format: (value: number) => formatNumber(value) },
      { head: 'at lag' },
      { head: 'p' },
      { head: 'ADF', format: (value: number) => formatNumber(value) },
      { head: 'ADF p' },
    ],
    rows: ofStudy(context, summaries).flatMap(({ treatment, memory }) =>
      memory
        ? [
            [
              context.name(treatment),
              memory.n,
              memory.acf[1] ?? null,
              memory.firstInside ?? 'none',
              memory.ljungBox?.statistic ?? null,
              memory.ljungBox?.lag ?? null,
              pText(memory.ljungBox?.p ?? null),
              memory.adf?.statistic ?? null,
              pText(memory.adf?.p ?? null),
            ],
          ]
        : [],
    ),
  };
}

/** Thresholds of Cohen, as the study uses them. */
export function sizeWord(d: number | null): string {
  if (d === null) return NO_VALUE;
  const size = Math.abs(d);
  return size < 0.2 ? 'negligible' : size < 0.5 ? 'small' : size < 0.8 ? 'medium' : 'large';
}

function contrastTable(context: FigureContext, { unit, contrasts }: StabilityVariable) {
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Difference, block bootstrap', unit },
      { head: 'Leaves zero out' },
      { head: 'Over runs', unit },
      { head: 'Cohen’s d', format: (value: number) => formatNumber(value) },
      { head: 'Size' },
    ],
    rows: ofStudy(context, contrasts).map(({ treatment, difference, lo, hi, runLo, runHi, cohensD }) => [
      context.name(treatment),
      lo === null ? NO_VALUE : intervalText({ value: difference, lo, hi }, { signed: true }),
      lo === null || hi === null ? 'too few samples' : lo > 0 || hi < 0 ? 'yes' : 'no',
      intervalText({ value: difference, lo: runLo, hi: runHi }, { signed: true }),
      cohensD,
      sizeWord(cohensD),
    ]),
  };
}
