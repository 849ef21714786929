import type { ReportSeries } from '@mqttlab/shared/domain/report/report';
import { formatCount, formatFixed } from '@mqttlab/shared/format/number';
import type { FigureContext } from '../drawing/treatments.ts';
import { drawCorrelograms } from '../kinds/correlogram.ts';
import { drawBootstraps } from '../kinds/histogram.ts';
import { drawLines, linesOverTime, tableOverTime } from '../kinds/line.ts';
import { columnsOf } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { countWords, intervalText, pText, spreadWords } from './words.ts';

const twoDecimals = (value: number) => formatFixed(value, 2);

/** Number of series with figures; other series are only in the files. */
const shownSeries = 2;
const shownCorrelograms = 3;

/** Adds the series over time and their autocorrelation. */
export function addTime(document: DocumentBuilder, context: FigureContext): void {
  const { report } = context;
  if (report.series.length === 0) return;
  document.heading('Over time');
  for (const series of report.series.slice(0, shownSeries)) addSeries(document, context, series);
  addDiagnostics(document, context);
  addBootstraps(document, context);
}

function addSeries(document: DocumentBuilder, context: FigureContext, series: ReportSeries): void {
  const { name } = context;
  const title = `${series.label} over time`;
  const means = series.treatments.map(({ mean, ...one }) => ({ ...one, value: mean }));
  const runs = countWords(series.treatments.map((one) => one.runs));
  const hasWarmUp = means.some(({ timesMs, value }) =>
    timesMs.some((ms, index) => ms < 0 && value[index] !== null),
  );
  const bounds = series.treatments.flatMap(({ lo }) => lo.map((value) => ({ lo: value })));
  const what = `Mean across runs; ${spreadWords('band', bounds)}${hasWarmUp ? '; grey: warm-up' : ''}; ${runs}. Values beyond the scale are cut off.`;
  document.figure(title, what, {
    picture: drawLines(context, {
      label: title,
      xLabel: 's since the start of measuring',
      yLabel: `${series.label}, ${series.unit}`,
      zero: true,
      shadeTo: 0,
      series: linesOverTime(means),
    }),
    table: tableOverTime(means, { name, heads: ['Mean', '95 % CI from', '95 % CI to'], unit: series.unit }),
  });
  const compared = series.treatments.filter(({ overhead }) => overhead.some((value) => value !== null));
  if (compared.length === 0) return;
  const overheads = compared.map(({ treatment, timesMs, overhead, overheadLo, overheadHi }) => ({
    treatment,
    timesMs,
    value: overhead,
    lo: overheadLo,
    hi: overheadHi,
  }));
  const relative = `${series.label}: relative overhead over time`;
  document.figure(
    relative,
    `Against ${baselineName(context, compared)} at the same instant: ratio of means across runs with Welch’s 95 % interval on its logarithm; ${runs}. Values beyond the scale are cut off.`,
    {
      picture: drawLines(context, {
        label: relative,
        xLabel: 's since the start of measuring',
        yLabel: `% over ${baselineName(context, compared)}`,
        zero: true,
        shadeTo: 0,
        series: linesOverTime(overheads),
      }),
      table: tableOverTime(overheads, { name, heads: ['Overhead', 'from', 'to'], unit: '%' }),
    },
  );
}

/** Returns the name of the common baseline, or "the baseline" if baselines differ in more than the row. */
function baselineName({ report, find }: FigureContext, compared: readonly { treatment: string }[]): string {
  const contrasts = report.responses[0]?.contrasts ?? [];
  const names = compared.map(({ treatment }) => {
    const baseline = contrasts.find((one) => one.treatment === treatment)?.baseline;
    if (baseline === undefined) return 'the baseline';
    const other = find(baseline);
    return other.rowLabel === find(treatment).rowLabel ? other.colourLabel : other.shortLabel;
  });
  const [first = 'the baseline'] = names;
  return names.every((one) => one === first) ? first : 'the baseline';
}

function addDiagnostics(document: DocumentBuilder, context: FigureContext): void {
  const { report, find, name, runName } = context;
  const [first] = report.diagnostics;
  if (!first) return;
  const own = report.diagnostics.filter(({ role, metric }) => role === first.role && metric === first.metric);
  document.heading('Memory and stationarity');
  document.paragraph(
    `${first.label} from one run per treatment. Samples within a run are not independent repetitions. These tests show how strongly they are correlated.`,
  );
  document.table(
    `${first.label}: tests on the samples from the measure phase of one run per treatment. r: autocorrelation; Ljung-Box: no autocorrelation up to lag 10; ADF: augmented Dickey-Fuller with a constant, lags by AIC, null hypothesis of a unit root; block: block length of the circular bootstrap by Politis and White’s rule. The tests are not adjusted for one another.`,
    {
      columns: columnsOf(
        'Treatment',
        'Run',
        'Samples',
        { head: 'r at lag 1', format: twoDecimals },
        { head: 'Ljung-Box p, lag 10', isFigures: true },
        { head: 'ADF', format: twoDecimals },
        { head: 'ADF p', isFigures: true },
        { head: 'Automatic block', isFigures: true },
      ),
      rows: own.map(({ treatment, runId, n, acf, ljungBox, adf, block }) => [
        name(treatment),
        runName(runId),
        n,
        acf[1] ?? null,
        pText(ljungBox[0]?.p ?? null),
        adf?.statistic ?? null,
        pText(adf?.p ?? null),
        block ? `${block.length}${block.capped ? ' (cap)' : ''}` : null,
      ]),
    },
  );
  const colours = new Map(
    own
      .filter(({ acf }) => acf.length > 0)
      .toReversed()
      .map((one) => [find(one.treatment).colourLabel, one]),
  );
  const drawn = [...colours.values()].toReversed().slice(0, shownCorrelograms);
  document.list(drawn.map(({ treatment, sentences }) => `${name(treatment)}: ${sentences.join(' ')}`));
  if (drawn.length === 0) return;
  document.figure(
    `${first.label}: autocorrelation and partial autocorrelation`,
    `Autocorrelation (left) and partial autocorrelation (Yule-Walker, right) of the samples of one run each: ${drawn
      .map(({ treatment, runId, n }) => `${name(treatment)}, ${runName(runId)}, n = ${n}`)
      .join('; ')}. Grey: range of 95 % of the values for independent samples (±1.96/√n).`,
    {
      picture: drawCorrelograms(context, drawn),
      table: {
        columns: columnsOf('Treatment', 'Lag', 'ACF', 'PACF'),
        rows: drawn.flatMap(({ treatment, acf, pacf }) =>
          acf.map((value, lag) => [name(treatment), lag, value, pacf[lag] ?? null]),
        ),
      },
    },
  );
}

const shownBootstraps = 6;

/** Adds the published block bootstrap next to the interval over runs. */
function addBootstraps(document: DocumentBuilder, context: FigureContext): void {
  const { report, name } = context;
  const [first] = report.bootstraps.filter(({ published }) => published !== null);
  if (!first) return;
  const own = report.bootstraps.filter(({ role, metric }) => role === first.role && metric === first.metric);
  const runsOf = (key: string) =>
    report.series
      .find(({ role, metric }) => role === first.role && metric === first.metric)
      ?.treatments.find(({ treatment }) => treatment === key)?.runs ?? 0;
  const hasHierarchical = own.some(({ hierarchical }) => hierarchical !== null);
  document.heading('Block bootstrap and intervals over runs');
  document.paragraph(
    `${first.label}, difference from the baseline. The published method joins the samples of all runs and resamples blocks of ${first.blockLength} (${formatCount(first.replicates)} replicates, seed ${first.seed}). It shows the precision of the average of these runs only. The interval over runs shows how well the difference generalises to further runs, so the conclusions of this report use it.`,
  );
  document.table(
    `${first.label}: difference from the baseline in ${first.unit}, with 95 % intervals. Over runs: Welch’s t over run means; as published: percentiles of the block bootstrap${hasHierarchical ? '; runs, then blocks: percentiles with runs resampled first, for at least five runs' : ''}; n: runs of the treatment and of the baseline.`,
    {
      columns: columnsOf(
        'Treatment',
        'Over runs',
        'Block bootstrap as published',
        hasHierarchical && { head: 'Runs, then blocks' },
        { head: 'n', isFigures: true },
      ),
      rows: own.map(({ treatment, baseline, difference, runLevel, published, hierarchical }) => [
        name(treatment),
        intervalText({ value: difference, ...bounds(runLevel) }, { signed: true }),
        intervalText({ value: published ? difference : null, ...bounds(published) }, { signed: true }),
        ...(hasHierarchical
          ? [
              intervalText(
                { value: hierarchical ? difference : null, ...bounds(hierarchical) },
                { signed: true },
              ),
            ]
          : []),
        `${runsOf(treatment)}, ${runsOf(baseline)}`,
      ]),
    },
  );
  const drawn = own.filter(({ distribution }) => distribution !== null).slice(0, shownBootstraps);
  if (drawn.length > 0) {
    document.figure(
      `${first.label}: bootstrap distribution of the difference`,
      `Histogram: ${formatCount(first.replicates)} resampled differences (circular blocks of ${first.blockLength} samples of all runs joined); coloured bracket: their 95 % percentile interval; dark bracket: the t interval over runs; dashed: no difference; ${countWords(
        drawn.flatMap(({ treatment, baseline }) => [runsOf(treatment), runsOf(baseline)]),
      )}.`,
      {
        picture: drawBootstraps(context, drawn),
        table: {
          columns: columnsOf('Treatment', ['From', first.unit], ['To', first.unit], 'Replicates'),
          rows: drawn.flatMap(({ treatment, distribution }) => {
            const { from = 0, to = 0, counts = [] } = distribution ?? {};
            const step = (to - from) / Math.max(1, counts.length);
            return counts.map((count, bin) => [
              name(treatment),
              from + bin * step,
              from + (bin + 1) * step,
              count,
            ]);
          }),
        },
      },
    );
  }
  for (const { treatment, sentences } of own.slice(0, 1)) {
    document.paragraph(`For example ${name(treatment)}. ${sentences.join(' ')}`);
  }
}

function bounds(interval: { lo: number | null; hi: number | null } | null) {
  return { lo: interval?.lo ?? null, hi: interval?.hi ?? null };
}
