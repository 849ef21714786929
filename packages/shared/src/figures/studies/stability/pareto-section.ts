import type { ReportPareto } from '../../../domain/report/report.ts';
import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { formatNumber } from '../../../format/number.ts';
import { rankPareto } from '../../../statistics/estimates/pareto.ts';
import type { DocumentBuilder } from '../../document/blocks.ts';
import type { FigureContext } from '../../drawing/treatments.ts';
import { drawPareto } from '../../pareto-figure.ts';
import { measured, type StudyInput } from '../study-input.ts';
import { type Configuration, printed } from './configurations.ts';

const axes = { latency: 'latency.mean', energy: 'energy.publisher' } as const;

/** Who is beaten by nobody in both, mean latency and cumulative energy, as printed and here. */
export function addPareto(
  builder: DocumentBuilder,
  context: FigureContext,
  { input, rows }: { input: StudyInput; rows: readonly Configuration[] },
): void {
  const found = rows.flatMap(({ name, one, published }) => {
    const [x, y] = one ? [measured(input, one, axes.latency), measured(input, one, axes.energy)] : [];
    return one && x && y ? [{ name, one, published, x: x.value, y: y.value }] : [];
  });
  if (found.length < 2) {
    builder.note('Gap: no Pareto front: latency and energy were not both measured on two configurations.');
    return;
  }
  const { rank } = rankPareto(found.map(({ x, y }) => [x, y]));
  const then = publishedRanks(rows);
  const pareto: ReportPareto = {
    x: { metric: axes.latency, label: 'Mean latency', unit: 'ms' },
    y: { metric: axes.energy, label: 'Energy of the emitter', unit: 'J' },
    points: found.map(({ one, x, y }, index) => ({
      treatment: one.treatment.key,
      x,
      y,
      rank: rank[index] ?? 0,
    })),
    runs: found.flatMap(({ one }) => runsOf(input, one)),
    sentence: '',
  };
  builder.figure(
    'Pareto front of mean latency and cumulative energy',
    'Pale: runs, strong: their means; the stair runs through the configurations that no other beats in both.',
    {
      picture: drawPareto(context, pareto),
      table: {
        columns: [
          { head: 'Configuration' },
          { head: 'Mean latency', unit: 'ms', format: (value) => formatNumber(value) },
          { head: 'Energy, emitter', unit: 'J', format: (value) => formatNumber(value) },
          { head: 'Front here' },
          { head: 'Front, published' },
        ],
        rows: found.map(({ name, x, y }, index) => [name, x, y, rank[index] ?? null, then.get(name) ?? null]),
      },
    },
  );
  const front = (ranks: (name: string, index: number) => number | null | undefined) =>
    found.flatMap(({ name }, index) => (ranks(name, index) === 1 ? [name] : [])).join(', ');
  builder.paragraph(
    `On the means, nobody beats ${front((_, index) => rank[index])} in both here; as printed it is ${front((name) => then.get(name))}. Runs that overlap in the figure can move a configuration on or off the front.`,
  );
}

function runsOf({ flagged }: StudyInput, one: ComparedTreatment): ReportPareto['runs'] {
  return one.runs.flatMap(({ runId, metrics, flagged: isFlagged }) => {
    const [x, y] = [metrics[axes.latency] ?? null, metrics[axes.energy] ?? null];
    if (x === null || y === null || (isFlagged && !flagged)) return [];
    return [{ treatment: one.treatment.key, runId, x, y }];
  });
}

function publishedRanks(rows: readonly Configuration[]): Map<string, number> {
  const known = rows.flatMap(({ name, published }) => {
    const [x, y] = [printed('mean latency', published), printed('cumulative energy', published)];
    return x === null || y === null ? [] : [{ name, x, y }];
  });
  const { rank } = rankPareto(known.map(({ x, y }) => [x, y]));
  return new Map(known.map(({ name }, index) => [name, rank[index] ?? 0]));
}
