import { type Axis, linearAxis, logAxis } from '../drawing/axis.ts';
import type { FigureContext } from '../drawing/treatments.ts';
import { drawLines } from '../kinds/lines-figure.ts';
import { columnsOf } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { countWords } from './words.ts';

/** One in so many messages is slower: a logarithm in the share beyond spreads the tail out. */
const marks = [50, 90, 99, 99.9, 99.99, 99.999];
const place = (p: number) => -Math.log10(1 - p / 100);

export function addPercentiles(document: DocumentBuilder, context: FigureContext): void {
  const { report, name } = context;
  const series = report.latency.map(({ treatment, points }) => ({
    treatment,
    points: points.filter(({ p }) => p >= 1).map(({ p, ms }) => ({ x: place(p), y: ms })),
  }));
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = series.flatMap(({ points }) => points.map(({ y }) => y));
  if (new Set(xs).size < 2) {
    document.paragraph('Too few messages for curves of percentiles: ten must lie beyond each point.');
    return;
  }
  const ends = { min: Math.min(...xs), max: Math.max(...xs) };
  const axis: Axis = {
    ...linearAxis(xs),
    ...ends,
    ticks: marks.map(place).filter((x) => x >= ends.min && x <= ends.max),
    format: (x) => `P${Number((100 * (1 - 10 ** -x)).toFixed(3))}`,
  };
  const isLog = Math.min(...ys) > 0 && Math.max(...ys) / Math.min(...ys) > 20;
  document.figure(
    'Latency percentiles',
    `All messages of the runs that count together, ${countWords(
      report.latency.map(({ messages }) => messages),
      'message',
    )}; each percentile is drawn only where at least ten messages lie beyond it.`,
    {
      picture: drawLines(context, {
        label: 'Latency percentiles',
        xLabel: 'share of messages that are faster',
        yLabel: `Latency, ms${isLog ? ', logarithmic' : ''}`,
        series,
        x: axis,
        isLog: isLog && logAxis(ys).min > 0,
        zero: true,
      }),
      table: {
        columns: columnsOf('Treatment', 'Percentile', ['Latency', 'ms']),
        rows: report.latency.flatMap(({ treatment, points }) =>
          points.map(({ p, ms }) => [name(treatment), p, ms]),
        ),
      },
    },
  );
}
