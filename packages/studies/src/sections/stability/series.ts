import type {
  ReportStability,
  StabilityCurve,
  StabilityVariable,
} from '@mqttlab/shared/domain/report/report-stability';
import { drawBootstraps } from '@mqttlab/shared/figures/bootstrap-figure';
import { drawCorrelograms } from '@mqttlab/shared/figures/correlogram-figure';
import { curveFigure } from '@mqttlab/shared/figures/curve-figure';
import type { Cell, DocumentBuilder, DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { intervalText, pText } from '@mqttlab/shared/figures/document/words';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { ofStudy, type StabilityContext, stabilityTable } from './configurations.ts';

/** As published, for display only. */
const smoothingMs = 5000;
const shownCorrelograms = 5;
/** As printed: the first lag of the published series inside the band of white noise. */
const publishedFirstInside = 13;

/** Every statistic of the study, on the samples as they are. */
export function addStatistics(
  builder: DocumentBuilder,
  context: StabilityContext,
  stability: ReportStability,
): void {
  const { variables } = stability;
  builder.heading('Stability in time and from run to run');
  builder.paragraph(samplingSentence(stability));
  for (const one of variables) {
    builder.table(
      `${one.label}, ${one.unit}: location, spread and peaks of the unsmoothed samples`,
      summaryTable(context, one),
    );
  }
  for (const one of variables) {
    builder.table(`${one.label}: memory and stationarity of the first run`, memoryTable(context, one));
  }
  builder.note(
    `Published: the autocorrelation of the current falls inside the band of white noise at lag ${publishedFirstInside}, so that blocks of ${stability.blockLength} samples were resampled; a coefficient of variation across runs below 5 % was the benchmark.`,
  );
  for (const one of variables) {
    builder.table(
      `${one.label}: difference from plain, block bootstrap and effect size`,
      contrastTable(context, one),
    );
  }
  builder.table(
    'Emitter against receiver: cross-correlation of first differences',
    stabilityTable(context, stability.crossCorrelation, [
      { head: 'Run', of: ({ runId }) => context.runName(runId) },
      {
        head: 'r at lag 0',
        format: formatNumber,
        of: ({ lags }) => lags.find(({ lag }) => lag === 0)?.r ?? null,
      },
      { head: 'Strongest r', format: formatNumber, of: ({ strongest }) => strongest.r },
      { head: 'at lag, samples', of: ({ strongest }) => String(strongest.lag) },
      { head: '95 % band', format: formatNumber, of: ({ band }) => band },
    ]),
  );
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

type Summary = StabilityVariable['summaries'][number];

function summaryTable(context: StabilityContext, { summaries }: StabilityVariable): DocumentTable {
  const four = (value: number) => formatNumber(value, 4);
  const column = (head: string, name: 'mean' | 'sd' | 'median' | 'mode' | 'p25' | 'p75') => ({
    head,
    format: four,
    of: (one: Summary) => one[name],
  });
  return stabilityTable(context, summaries, [
    { head: 'Samples', of: ({ samples }) => samples },
    column('Mean', 'mean'),
    column('SD', 'sd'),
    column('Median', 'median'),
    column('Mode', 'mode'),
    column('P25', 'p25'),
    column('P75', 'p75'),
    { head: 'Largest', format: four, of: ({ max }) => max ?? null },
    { head: 'Peaks, above mean by 3 SD', unit: '%', format: formatNumber, of: ({ peaks }) => peaks ?? null },
  ]);
}

function memoryTable(context: StabilityContext, { summaries }: StabilityVariable): DocumentTable {
  const known = summaries.flatMap(({ treatment, memory }) => (memory ? [{ treatment, ...memory }] : []));
  return stabilityTable(context, known, [
    { head: 'Samples', of: ({ n }) => n },
    { head: 'r at lag 1', format: formatNumber, of: ({ acf }) => acf[1] ?? null },
    { head: 'First lag in the band', of: ({ firstInside }) => firstInside ?? 'none' },
    { head: 'Ljung-Box Q', format: formatNumber, of: ({ ljungBox }) => ljungBox?.statistic ?? null },
    { head: 'at lag', of: ({ ljungBox }) => ljungBox?.lag ?? null },
    { head: 'p', of: ({ ljungBox }) => pText(ljungBox?.p ?? null) },
    { head: 'ADF', format: formatNumber, of: ({ adf }) => adf?.statistic ?? null },
    { head: 'ADF p', of: ({ adf }) => pText(adf?.p ?? null) },
  ]);
}

/** Thresholds of Cohen, as the study uses them. */
export function sizeWord(d: number | null): string {
  if (d === null) return NO_VALUE;
  const size = Math.abs(d);
  return size < 0.2 ? 'negligible' : size < 0.5 ? 'small' : size < 0.8 ? 'medium' : 'large';
}

function contrastTable(context: StabilityContext, { unit, contrasts }: StabilityVariable): DocumentTable {
  const differenceText = (value: number, lo: number | null, hi: number | null) =>
    intervalText({ value, lo, hi }, { signed: true });
  return stabilityTable(context, contrasts, [
    {
      head: 'Difference, block bootstrap',
      unit,
      of: ({ difference, lo, hi }) => (lo === null ? NO_VALUE : differenceText(difference, lo, hi)),
    },
    {
      head: 'Leaves zero out',
      of: ({ lo, hi }) => (lo === null || hi === null ? 'too few samples' : lo > 0 || hi < 0 ? 'yes' : 'no'),
    },
    {
      head: 'Over runs',
      unit,
      of: ({ difference, runLo, runHi }) => differenceText(difference, runLo, runHi),
    },
    { head: 'Cohen’s d', format: formatNumber, of: ({ cohensD }) => cohensD },
    { head: 'Size', of: ({ cohensD }) => sizeWord(cohensD) },
  ]);
}

/** Repeatability, memory, resampled differences and the course of the current, as the study draws them. */
export function addSeriesFigures(
  builder: DocumentBuilder,
  context: StabilityContext,
  stability: ReportStability,
): void {
  const current = stability.variables.find(({ id }) => id === 'current.publisher');
  if (!current) return;
  const curves = ofStudy(context, current.curves);
  const draw = (label: string, unit: string, own: readonly StabilityCurve[]) =>
    curveFigure(context, { label, unit, xLabel: 's since measuring began', curves: own });
  builder.figure(
    'Repeatability of the emitter’s current',
    `Mean across runs, unsmoothed; ${bandWords(current)}.`,
    draw('Repeatability', 'mA', curves),
  );
  addCorrelograms(builder, context, current);
  addBootstraps(builder, context, { stability, current });
  const lastMs = Math.max(0, ...curves.flatMap(({ timesMs }) => timesMs.at(-1) ?? 0));
  const windowMs = Math.min(smoothingMs, lastMs / 10);
  builder.figure(
    'Emitter’s current over time',
    `Moving average over ${formatNumber(windowMs / 1000)} s, for display only: no statistic rests on it.`,
    draw(
      'Current over time',
      'mA',
      curves.map((curve) => smooth(curve, windowMs)),
    ),
  );
  const ofEmitter = stability.cumulative.find(({ role }) => role === current.role);
  const overhead = ofStudy(context, ofEmitter?.overhead ?? []);
  if (overhead.length > 0) {
    builder.figure(
      'Relative overhead of the emitter’s cumulative energy over time',
      'Charge since measuring began against that of plain until the same time; from three runs on with the 95 % interval of the ratio of means.',
      draw('Relative overhead of the cumulative energy', '% over plain', overhead),
    );
  }
}

/** What the band of a curve shows. */
export function bandWords({ summaries }: StabilityVariable): string {
  const max = Math.max(0, ...summaries.map(({ runs }) => runs));
  return max >= 3
    ? 'band: 95 % interval over runs'
    : 'band: from the lowest to the highest run, for two runs give no interval';
}

/** Centred mean over a window of time; without its band. */
function smooth({ treatment, timesMs, mean }: StabilityCurve, windowMs: number): StabilityCurve {
  const smoothed = timesMs.map((at) => {
    const own = mean.filter((value, index) => {
      const time = timesMs[index] ?? Number.NaN;
      return value !== null && Math.abs(time - at) <= windowMs / 2;
    });
    const sum = own.reduce<number>((total, value) => total + (value ?? 0), 0);
    return own.length === 0 ? null : sum / own.length;
  });
  const nothing = timesMs.map(() => null);
  return { treatment, timesMs, mean: smoothed, lo: nothing, hi: nothing };
}

function addCorrelograms(
  builder: DocumentBuilder,
  context: StabilityContext,
  { label, summaries }: StabilityVariable,
): void {
  const drawn = ofStudy(context, summaries)
    .flatMap(({ treatment, memory }) => (memory ? [{ treatment, ...memory }] : []))
    .slice(0, shownCorrelograms);
  if (drawn.length === 0) return;
  builder.figure(
    `${label}: autocorrelation and partial autocorrelation`,
    'Of the first run of each configuration. Grey: where 95 % of the autocorrelations of independent samples lie.',
    {
      picture: drawCorrelograms(context, drawn),
      table: {
        columns: ['Configuration', 'Lag', 'ACF', 'PACF'].map((head) => ({ head })),
        rows: drawn.flatMap(({ treatment, acf, pacf }) =>
          acf.map((value, lag) => [context.name(treatment), lag, value, pacf[lag] ?? null]),
        ),
      },
    },
  );
}

function addBootstraps(
  builder: DocumentBuilder,
  context: StabilityContext,
  { stability, current }: { stability: ReportStability; current: StabilityVariable },
): void {
  const { label, unit } = current;
  const drawn = ofStudy(context, current.contrasts).filter(({ distribution }) => distribution !== null);
  if (drawn.length === 0) return;
  const resampled = drawn.map(({ lo, hi, runLo, runHi, ...contrast }) => ({
    ...contrast,
    unit,
    published: lo === null || hi === null ? null : { lo, hi },
    runLevel: { lo: runLo, hi: runHi },
  }));
  const rows = drawn.flatMap(({ treatment, distribution }): Cell[][] => {
    const { from = 0, to = 0, counts = [] } = distribution ?? {};
    const step = (to - from) / Math.max(1, counts.length);
    return counts.map((count, bin) => [
      context.name(treatment),
      from + bin * step,
      from + (bin + 1) * step,
      count,
    ]);
  });
  const columns = [
    { head: 'Configuration' },
    { head: 'From', unit },
    { head: 'To', unit },
    { head: 'Replicates' },
  ];
  builder.figure(
    `${label}: bootstrap distribution of the difference from plain`,
    `Circular blocks of ${stability.blockLength} samples, ${stability.replicates} replicates; coloured bracket: their 95 % interval, dark bracket: that over runs, dashed: no difference.`,
    { picture: drawBootstraps(context, resampled), table: { columns, rows } },
  );
}
