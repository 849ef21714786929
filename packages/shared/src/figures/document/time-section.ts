import type { ReportSeries } from '../../domain/report.ts';
import { drawBootstraps } from '../bootstrap-figure.ts';
import { drawCorrelograms } from '../correlogram-figure.ts';
import { drawLines } from '../lines-figure.ts';
import type { FigureContext } from '../treatments.ts';
import type { DocumentBuilder } from './blocks.ts';
import { linesOverTime, tableOverTime } from './over-time.ts';
import { intervalText, pText } from './words.ts';

/** Series in full width; the rest stand in the files. */
const shownSeries = 2;
const shownCorrelograms = 3;
const shownBootstraps = 6;

/** What happened in the course of a run, and how much of the precision it carries. */
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
  document.figure(title, 'Mean across runs, band: 95 % t interval over runs; grey: warm-up.', {
    picture: drawLines(context, {
      label: title,
      xLabel: 's since measuring began',
      yLabel: series.unit,
      zero: true,
      shadeTo: 0,
      series: linesOverTime(means),
    }),
    table: tableOverTime(means, { name, heads: ['Mean', '95 % CI from', '95 % CI to'], unit: series.unit }),
  });
  const compared = series.treatments.filter(({ overhead }) => overhead.some((value) => value !== null));
  if (compared.length === 0) return;
  const overheads = compared.map(({ treatment, timesMs, overhead, overheadLo, overheadHi }) => ({
    ...{ treatment, timesMs, value: overhead },
    ...{ lo: overheadLo, hi: overheadHi },
  }));
  const relative = `${series.label}: relative overhead over time`;
  document.figure(
    relative,
    'Against the baseline at the same instant, with the 95 % interval of the ratio of means.',
    {
      picture: drawLines(context, {
        label: relative,
        xLabel: 's since measuring began',
        yLabel: '% over the baseline',
        zero: true,
        shadeTo: 0,
        series: linesOverTime(overheads),
      }),
      table: tableOverTime(overheads, { name, heads: ['Overhead', 'from', 'to'], unit: '%' }),
    },
  );
}

function addDiagnostics(document: DocumentBuilder, context: FigureContext): void {
  const { report, find, name } = context;
  const [first] = report.diagnostics;
  if (!first) return;
  const own = report.diagnostics.filter(({ role, metric }) => role === first.role && metric === first.metric);
  document.heading('Memory and stationarity');
  document.paragraph(
    `${first.label} of one run of each treatment. Samples inside a run are no independent repetitions; these tests say how strongly they hang together.`,
  );
  document.table(`${first.label}: tests on one run of each treatment.`, {
    columns: [
      { head: 'Treatment' },
      { head: 'Run' },
      { head: 'Samples' },
      { head: 'r at lag 1' },
      { head: 'Ljung-Box p, lag 10' },
      { head: 'ADF' },
      { head: 'ADF p' },
      { head: 'Automatic block' },
    ],
    rows: own.map(({ treatment, runId, n, acf, ljungBox, adf, block }) => [
      name(treatment),
      runId,
      n,
      acf[1] ?? null,
      pText(ljungBox[0]?.p ?? null),
      adf?.statistic ?? null,
      pText(adf?.p ?? null),
      block ? `${block.length}${block.capped ? ' (cap)' : ''}` : null,
    ]),
  });
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
    `${first.label}: autocorrelation`,
    'Grey: where 95 % of the autocorrelations of independent samples lie.',
    {
      picture: drawCorrelograms(context, drawn),
      table: {
        columns: ['Treatment', 'Lag', 'ACF', 'PACF'].map((head) => ({ head })),
        rows: drawn.flatMap(({ treatment, acf, pacf }) =>
          acf.map((value, lag) => [name(treatment), lag, value, pacf[lag] ?? null]),
        ),
      },
    },
  );
}

function addBootstraps(document: DocumentBuilder, context: FigureContext): void {
  const { report, name } = context;
  const [first] = report.bootstraps.filter(({ published }) => published !== null);
  if (!first) return;
  const own = report.bootstraps.filter(({ role, metric }) => role === first.role && metric === first.metric);
  document.heading('Two ways to an interval');
  document.paragraph(
    `${first.label}, difference from the baseline. The published method joins the samples of all runs and resamples blocks of ${first.blockLength} (${first.replicates} replicates, seed ${first.seed}): it says how precisely these very runs were averaged. The interval over runs says what another run would show, and carries the conclusions of this report.`,
  );
  document.table(`${first.label}: difference from the baseline, judged in two ways.`, {
    columns: [
      { head: 'Treatment' },
      { head: 'Over runs', unit: first.unit },
      { head: 'Block bootstrap as published', unit: first.unit },
      { head: 'Runs, then blocks', unit: first.unit },
      { head: 'Samples' },
    ],
    rows: own.map(({ treatment, difference, runLevel, published, hierarchical }) => [
      name(treatment),
      intervalText({ value: difference, ...bounds(runLevel) }, { signed: true }),
      intervalText({ value: published ? difference : null, ...bounds(published) }, { signed: true }),
      intervalText({ value: hierarchical ? difference : null, ...bounds(hierarchical) }, { signed: true }),
      published?.samples ?? null,
    ]),
  });
  const drawn = own.filter(({ distribution }) => distribution !== null).slice(0, shownBootstraps);
  if (drawn.length > 0) {
    document.figure(
      `${first.label}: bootstrap distribution of the difference`,
      'Histogram: resampled differences; coloured bracket: their 95 % interval; dark bracket: the 95 % interval over runs; dashed: no difference.',
      {
        picture: drawBootstraps(context, drawn),
        table: {
          columns: [
            { head: 'Treatment' },
            { head: 'From', unit: first.unit },
            { head: 'To', unit: first.unit },
            { head: 'Replicates' },
          ],
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
  document.list(
    own.slice(0, 1).flatMap(({ treatment, sentences }) => [`${name(treatment)}: ${sentences.join(' ')}`]),
  );
}

function bounds(interval: { lo: number | null; hi: number | null } | null) {
  return { lo: interval?.lo ?? null, hi: interval?.hi ?? null };
}
