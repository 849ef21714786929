import { formatCount } from '@mqttlab/shared/format/number';
import type { FigureContext } from '../drawing/treatments.ts';
import { drawBootstraps } from '../kinds/histogram.ts';
import { columnsOf } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { countWords, intervalText } from './words.ts';

const shownBootstraps = 6;

/** The published block bootstrap beside the interval over runs, and what each of them says. */
export function addBootstraps(document: DocumentBuilder, context: FigureContext): void {
  const { report, name } = context;
  const [first] = report.bootstraps.filter(({ published }) => published !== null);
  if (!first) return;
  const own = report.bootstraps.filter(({ role, metric }) => role === first.role && metric === first.metric);
  const runsOf = (key: string) =>
    report.series
      .find(({ role, metric }) => role === first.role && metric === first.metric)
      ?.treatments.find(({ treatment }) => treatment === key)?.runs ?? 0;
  const hasHierarchical = own.some(({ hierarchical }) => hierarchical !== null);
  document.heading('Two ways to an interval');
  document.paragraph(
    `${first.label}, difference from the baseline. The published method joins the samples of all runs and resamples blocks of ${first.blockLength} (${formatCount(first.replicates)} replicates, seed ${first.seed}): it says how precisely these very runs were averaged. The interval over runs says how far the difference holds for further runs, and the conclusions of this report rest on that kind of interval.`,
  );
  document.table(
    `${first.label}: difference from the baseline in ${first.unit}, with 95 % intervals. Over runs: Welch’s t over run means; as published: percentiles of the block bootstrap${hasHierarchical ? '; runs, then blocks: percentiles where runs are drawn first, from five runs on' : ''}; n: runs of the treatment and of the baseline.`,
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
