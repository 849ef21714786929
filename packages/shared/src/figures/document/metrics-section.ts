import { nounOf } from '../../analysis/report/phrase.ts';
import type { ReportResponse } from '../../domain/report.ts';
import { drawEffectSizes } from '../heat-figure.ts';
import { drawParallel } from '../parallel-figure.ts';
import { drawPareto } from '../pareto-figure.ts';
import { drawPhases } from '../phases-figure.ts';
import { drawSaturation } from '../saturation-figure.ts';
import type { FigureContext } from '../treatments.ts';
import type { DocumentBuilder } from './blocks.ts';

const mostInHeat = 20;
/** Close relatives of a metric that is shown; the table has them. */
const variants =
  /^(latency\.(min|max|sd|p5|p25|p75)$|readingAge|cpuDevice|memory\..*mean|rate\.(readings|goodput)|lateness)/;
/** Axes of the parallel plot, in this order, where they were measured. */
const parallelMetrics = [
  'latency.p50',
  'latency.p95',
  'setUp.total',
  'cpu.broker',
  'cpu.publisher',
  'wire.perMessage',
  'energyPerMessage.total',
];

/** Everything else that was measured, together. */
export function addOtherMetrics(document: DocumentBuilder, context: FigureContext): void {
  const { report } = context;
  document.heading('Other metrics');
  const compared = report.responses.filter(({ contrasts }) =>
    contrasts.some(({ hedgesG }) => hedgesG !== null && hedgesG !== 0),
  );
  const shown = compared.filter(({ metric }) => !variants.test(metric)).slice(0, mostInHeat);
  if (shown.length > 0 && (shown[0]?.contrasts.length ?? 0) > 0) {
    document.figure(
      'Effect sizes over metrics',
      'Hedges’ g of every contrast with its baseline; orange is more, blue is less, a dot marks p < 0.05 after Holm inside the metric.',
      { picture: drawEffectSizes(context, shown), table: effectSizeTable(context, shown) },
    );
  }
  const axes = parallelMetrics.flatMap((id) => report.responses.find(({ metric }) => metric === id) ?? []);
  if (axes.length >= 3 && report.treatments.length > 1) {
    document.figure(
      'Treatments over several metrics',
      'Parallel coordinates: each axis runs from the smallest mean to the largest, so that only the order and the relative distance can be read off, not the size of an effect.',
      { picture: drawParallel(context, axes.slice(0, 5)), table: longTable(context, axes) },
    );
  }
  document.table(
    'Every metric by treatment: mean of runs with 95 % interval.',
    longTable(context, report.responses),
  );
}

function effectSizeTable({ name }: FigureContext, responses: readonly ReportResponse[]) {
  return {
    columns: [
      ...['Metric', 'Treatment', 'Against', 'Hedges g', 'g from', 'g to', 'p Holm'].map((head) => ({ head })),
    ],
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
    columns: ['Metric', 'Unit', 'Treatment', 'Runs', 'Mean', 'SD', '95 % CI from', '95 % CI to'].map(
      (head) => ({
        head,
      }),
    ),
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

/** Phases of the set-up, the front of two responses, and lines over numeric factors. */
export function addCosts(document: DocumentBuilder, context: FigureContext): void {
  const { report, name } = context;
  if (report.phases.length > 0) {
    document.heading('Connection set-up');
    document.figure(
      'Phases of the connection set-up',
      'As the publisher saw them, mean over the runs that count; phases end to end.',
      {
        picture: drawPhases(context, report.phases),
        table: {
          columns: [
            { head: 'Treatment' },
            { head: 'Phase' },
            { head: 'Duration', unit: 'ms' },
            { head: 'CPU', unit: 'ms' },
            { head: 'Bytes', unit: 'B' },
            { head: 'Energy', unit: 'J' },
          ],
          rows: report.phases.flatMap(({ treatment, phases }) =>
            phases.map(({ phase, ms, cpuMs, bytes, energyJ }) => [
              name(treatment),
              phase,
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
    document.heading('Trade-offs');
    document.paragraph(pareto.sentence);
    document.figure(
      `${pareto.y.label} against ${nounOf(pareto.x)}`,
      'Pale points: single runs; markers: means; the line joins the treatments that no other beats in both.',
      {
        picture: drawPareto(context, pareto),
        table: {
          columns: [
            { head: 'Treatment' },
            { head: pareto.x.label, unit: pareto.x.unit },
            { head: pareto.y.label, unit: pareto.y.unit },
            { head: 'Layer' },
          ],
          rows: pareto.points.map(({ treatment, x, y, rank }) => [name(treatment), x, y, rank]),
        },
      },
    );
  }
  for (const fits of Map.groupBy(saturations, ({ factor }) => factor).values()) {
    const [first] = fits;
    if (!first) continue;
    document.heading(`${first.label} over ${first.factor.toLowerCase()}`);
    document.list(fits.map(({ group, sentence }) => `${group}: ${sentence}`));
    document.figure(
      `${first.label} over ${first.factor.toLowerCase()}`,
      'Least-squares line through the runs with its 95 % confidence band; points: single runs.',
      {
        picture: drawSaturation(context, fits),
        table: {
          columns: [{ head: 'Group' }, { head: first.factor }, { head: first.label, unit: first.unit }],
          rows: fits.flatMap(({ group, points }) => points.map(({ x, y }) => [group, x, y])),
        },
      },
    );
  }
}
