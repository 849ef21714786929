import { logAxis } from '../drawing/axis.ts';
import type { FigureContext } from '../drawing/treatments.ts';
import { drawLines } from '../kinds/line.ts';
import { percentileAxis, percentilePosition } from '../kinds/percentile.ts';
import { columnsOf } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { countWords } from './words.ts';

export function addPercentiles(document: DocumentBuilder, context: FigureContext): void {
  const { report, name } = context;
  const series = report.latency.map(({ treatment, points }) => ({
    treatment,
    points: points.filter(({ p }) => p >= 1).map(({ p, ms }) => ({ x: percentilePosition(p), y: ms })),
  }));
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = series.flatMap(({ points }) => points.map(({ y }) => y));
  if (new Set(xs).size < 2) {
    document.paragraph('Too few messages for curves of percentiles: ten must lie beyond each point.');
    return;
  }
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
        x: percentileAxis(
          report.latency.flatMap(({ points }) => points.flatMap(({ p }) => (p >= 1 ? p : []))),
        ),
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
