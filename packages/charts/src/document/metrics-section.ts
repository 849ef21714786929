import { resolvedRule } from '@mqttlab/shared/analysis/contrasts';
import { nounOf, titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { inSentence } from '@mqttlab/shared/format/unit';
import type { FigureContext } from '../drawing/treatments.ts';
import { drawSaturation } from '../kinds/line.ts';
import { drawEffectSizes } from '../kinds/matrix.ts';
import { drawParallel } from '../kinds/parallel.ts';
import { drawPareto } from '../kinds/scatter.ts';
import { drawPhases, phaseWord } from '../kinds/stack.ts';
import { columnsOf } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { countWords, isVariant, spreadWords } from './words.ts';

const maxInHeat = 24;
/** Axes of the parallel plot, in this order. */
const parallelMetrics = [
  'latency.p50',
  'latency.p95',
  'rate.messages',
  'setUp.total',
  'cpu.broker',
  'cpu.publisher',
  'wire.perMessage',
  'energyPerMessage.total',
];
const maxAxes = 6;

/** Adds all other metrics. */
export function addOtherMetrics(document: DocumentBuilder, context: FigureContext): void {
  const { report } = context;
  document.heading('Other metrics');
  const runs = report.responses[0]?.estimates.map(({ n }) => n) ?? [];
  const compared = report.responses.filter(({ contrasts }) =>
    contrasts.some(({ hedgesG }) => hedgesG !== null && hedgesG !== 0),
  );
  const shown = compared.filter(({ metric }) => !isVariant(metric)).slice(0, maxInHeat);
  if (shown.length > 0 && (shown[0]?.contrasts.length ?? 0) > 0) {
    document.figure(
      'Effect sizes over metrics',
      `Hedges’ g of run values of every treatment against its baseline; ${countWords(runs)} at most. A dot marks a resolved difference: ${resolvedRule}, over the contrasts of that metric; metrics are not adjusted for one another.`,
      { picture: drawEffectSizes(context, shown), table: effectSizeTable(context, shown) },
    );
  }
  const axes = [...new Set([report.responses[0]?.metric ?? '', ...parallelMetrics])]
    .flatMap((id) => report.responses.find(({ metric }) => metric === id) ?? [])
    .filter(({ estimates }) => hasRange(estimates.flatMap(({ mean }) => mean ?? [])))
    .slice(0, maxAxes);
  if (axes.length >= 3 && report.treatments.length > 1) {
    document.figure(
      'Treatments over several metrics',
      `Parallel coordinates of run means, ${countWords(runs)}. Each axis goes from the smallest to the largest mean. It shows order and relative distance, but not the size of an effect or whether it was resolved.`,
      { picture: drawParallel(context, axes), table: longTable(context, axes) },
    );
  }
  document.table(
    'Every metric by treatment: geometric mean of runs (mean for counts, shares and signed quantities) with 95 % interval.',
    longTable(context, report.responses),
  );
}

/** Returns true if a metric varies. A paced rate is constant, so its axis would show only noise. */
function hasRange(means: readonly number[]): boolean {
  const largest = Math.max(...means.map(Math.abs));
  return means.length > 1 && Math.max(...means) - Math.min(...means) > 0.01 * largest;
}

function effectSizeTable({ name }: FigureContext, responses: readonly ReportResponse[]) {
  return {
    columns: columnsOf('Metric', 'Treatment', 'Against', 'Hedges g', 'g from', 'g to', 'p Holm'),
    rows: responses.flatMap(({ label, contrasts }) =>
      contrasts.map((one) => [
        label,
        name(one.treatment),
        name(one.baseline),
        one.hedgesG,
        one.gLo,
        one.gHi,
        one.p,
      ]),
    ),
  };
}

function longTable({ name }: FigureContext, responses: readonly ReportResponse[]) {
  return {
    columns: columnsOf('Metric', 'Unit', 'Treatment', 'Runs', 'Mean', 'SD', '95 % CI from', '95 % CI to'),
    rows: responses.flatMap(({ label, unit, estimates }) =>
      estimates.map(({ treatment, n, mean, sd, lo, hi }) => [
        label,
        unit,
        name(treatment),
        n,
        mean,
        sd,
        lo,
        hi,
      ]),
    ),
  };
}

/** Adds the phases of the set-up, the Pareto front of two responses, and lines over numeric factors. */
export function addCosts(document: DocumentBuilder, context: FigureContext): void {
  const { report, name } = context;
  const setUp = report.responses.find(({ metric }) => metric === 'setUp.total')?.estimates ?? [];
  if (report.phases.length > 0) {
    document.heading('Connection set-up');
    document.figure(
      'Phases of the connection set-up',
      `Measured by the publisher, mean of runs, phases end to end; ${spreadWords('error bars', setUp)} of the whole set-up; ${countWords(report.phases.map(({ runs }) => runs))}.`,
      {
        picture: drawPhases(context, report.phases),
        table: {
          columns: columnsOf(
            'Treatment',
            'Phase',
            ['Duration', 'ms'],
            ['CPU', 'ms'],
            ['Bytes', 'B'],
            ['Energy', 'J'],
          ),
          rows: report.phases.flatMap(({ treatment, phases }) =>
            phases.map(({ phase, ms, cpuMs, bytes, energyJ }) => [
              name(treatment),
              phaseWord(phase),
              ms,
              cpuMs,
              bytes,
              energyJ,
            ]),
          ),
        },
      },
    );
  }
  const { pareto, saturations } = report;
  if (pareto) {
    const crossed = report.responses
      .filter(({ metric }) => metric === pareto.x.metric || metric === pareto.y.metric)
      .flatMap(({ estimates }) => estimates);
    document.heading('Trade-offs');
    document.paragraph(pareto.sentence);
    document.figure(
      `${titleOf(pareto.y)} against ${nounOf(pareto.x)}`,
      `Pale points: single runs; markers: means of runs; ${spreadWords('crosses', crossed)}, cut at the edge; step line: the Pareto front of treatments for which no other is better in both; ${countWords(
        pareto.points.map(({ treatment }) => pareto.runs.filter((run) => run.treatment === treatment).length),
      )}.`,
      {
        picture: drawPareto(context, pareto),
        table: {
          columns: columnsOf(
            'Treatment',
            [pareto.x.label, pareto.x.unit],
            [pareto.y.label, pareto.y.unit],
            'Layer',
          ),
          rows: pareto.points.map(({ treatment, x, y, rank }) => [name(treatment), x, y, rank]),
        },
      },
    );
  }
  for (const fits of Map.groupBy(saturations, ({ factor }) => factor).values()) {
    const [first] = fits;
    if (!first) continue;
    const title = `${titleOf(first)} over ${inSentence(first.factor)}`;
    document.heading(title);
    document.list(fits.map(({ group, sentence }) => `${group}: ${sentence}`));
    document.figure(
      title,
      `Least-squares line through the runs with its pointwise 95 % confidence band; points: single runs; ${countWords(
        fits.map(({ points }) => points.length),
        'run',
        'for each line',
      )}.`,
      {
        picture: drawSaturation(context, fits),
        table: {
          columns: columnsOf('Group', first.factor, [first.label, first.unit]),
          rows: fits.flatMap(({ group, points }) => points.map(({ x, y }) => [group, x, y])),
        },
      },
    );
  }
}
