import { holmNote } from '@mqttlab/shared/analysis/contrasts';
import { centreWords, nounOf, titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { formatNumber } from '@mqttlab/shared/format/number';
import { logAxis } from '../drawing/axis.ts';
import type { FigureContext } from '../drawing/treatments.ts';
import { drawMeans } from '../kinds/bar.ts';
import { drawBoxes } from '../kinds/box.ts';
import { drawInteraction, isMultiplied } from '../kinds/dot.ts';
import { drawLines } from '../kinds/line.ts';
import { percentileAxis, percentilePosition } from '../kinds/percentile.ts';
import { columnsOf, type DocumentTable } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { addContrasts } from './contrast-section.ts';
import {
  asDrawn,
  countWords,
  intervalText,
  pText,
  runsWords,
  spreadWords,
  unitOfEstimates,
} from './words.ts';

/** Adds the means, contrasts and effects of the response. */
export function addResponse(
  document: DocumentBuilder,
  context: FigureContext,
  response: ReportResponse,
): void {
  const { report } = context;
  const { unit, scale } = unitOfEstimates(response.estimates, response.unit);
  const hasNotes = response.estimates.some(({ note }) => note !== null);
  const title = titleOf(response);
  const runs = runsWords(response.estimates);
  const centre = centreWords(response.metric);
  const isGeometric = centre.startsWith('geometric');
  document.heading(title);
  document.table(
    `${title} by treatment: ${centre} with Student’s 95 % t interval${isGeometric ? ' on the log scale' : ''} (for at least three runs), standard deviation and coefficient of variation over runs. The run is the unit of inference.`,
    {
      columns: columnsOf(
        'Treatment',
        'Runs',
        [isGeometric ? 'Geometric mean' : 'Mean', unit],
        { head: 'SD', unit, format: (sd: number) => formatNumber(sd, 2) },
        { head: 'CV', unit: '%', format: (cv: number) => formatNumber(cv, 2) },
        hasNotes && 'Note',
      ),
      rows: response.estimates.map(({ treatment, n, mean, sd, lo, hi, cv, note }) => [
        context.name(treatment),
        n,
        intervalText({ value: mean, lo, hi }, { scale }),
        sd === null ? null : sd * scale,
        cv === null ? null : cv * 100,
        ...(hasNotes ? [note ?? ''] : []),
      ]),
    },
  );
  if (response.estimates.some(({ mean }) => mean !== null)) {
    document.figure(
      `${title} by treatment`,
      `Bars: ${centre}; ${spreadWords('whiskers', response.estimates)}; points: single runs; ${runs}.`,
      { picture: drawMeans(context, response), table: estimateTable(context, response) },
    );
  }
  if (response.metric.startsWith('latency') && report.latency.length > 0) {
    document.figure(
      'Message latency',
      `All messages from the included runs together, ${messages(report)}: box P25 to P75 with the median, whiskers P5 to P95, marker at the mean. The boxes show the spread of messages, not the uncertainty of a mean.`,
      drawBoxes(context),
    );
    addPercentiles(document, context);
  }
  addContrasts(document, context, response);
  addEffects(document, context, response);
}

function messages({ latency }: FigureContext['report']): string {
  return countWords(
    latency.map((one) => one.messages),
    'message',
  );
}

export function estimateTable(
  { name }: FigureContext,
  { estimates, unit, metric }: ReportResponse,
): DocumentTable {
  return {
    columns: columnsOf(
      'Treatment',
      'Runs',
      [centreWords(metric).startsWith('geometric') ? 'Geometric mean' : 'Mean', unit],
      ['SD', unit],
      ['95 % CI from', unit],
      ['95 % CI to', unit],
    ),
    rows: estimates.map(({ treatment, n, mean, sd, lo, hi }) => [name(treatment), n, mean, sd, lo, hi]),
  };
}

function addEffects(document: DocumentBuilder, context: FigureContext, response: ReportResponse): void {
  document.heading('Main effects and interactions');
  if (response.effectsNote) document.note(response.effectsNote);
  const { effects, unit } = response;
  if (effects.length === 0) return;
  const hasInteractions = effects.some(({ kind }) => kind === 'interaction');
  const { unit: shown, scale } = unitOfEstimates(response.estimates, unit);
  const inPercent = effects.every((one) => one.scale === 'ratio');
  const beyond = `interactions are deviations from the ${inPercent ? 'product' : 'sum'} of main effects`;
  document.table(
    `Effects on ${nounOf(response)}${hasInteractions ? `, averaged over the other factors; ${beyond}` : ''}. ${inPercent ? 'Ratios of geometric means; ' : ''}95 % t intervals over repetitions that contain every run needed for an effect; ${holmNote(effects, 'effect')}.`,
    {
      columns: columnsOf(
        'Effect',
        'Factor',
        inPercent ? ['Relative', '%'] : ['Estimate', shown],
        { head: 'p', isFigures: true },
        'Repetitions',
      ),
      rows: effects.map(({ label, factor, scale: effectScale, estimate, lo, hi, p, blocks }) => [
        label,
        factor,
        intervalText(asDrawn({ scale: effectScale, value: estimate, lo, hi }), {
          scale: inPercent ? 1 : scale,
          signed: true,
        }),
        pText(p),
        blocks,
      ]),
    },
  );
  if (context.rows.length > 1 && context.colours.length > 1) {
    document.figure(
      `${titleOf(response)}: interaction`,
      `${centreWords(response.metric)}; ${spreadWords('error bars', response.estimates)}; ${runsWords(response.estimates)}. ${isMultiplied(response) ? 'On a log axis, parallel lines mean that the effects of the factors multiply' : 'Parallel lines mean that the effects of the factors add up'}. If lines are not parallel, the effect of one factor depends on the other.`,
      { picture: drawInteraction(context, response), table: estimateTable(context, response) },
    );
  }
}

function addPercentiles(document: DocumentBuilder, context: FigureContext): void {
  const { report, name } = context;
  const series = report.latency.map(({ treatment, points }) => ({
    treatment,
    points: points.filter(({ p }) => p >= 1).map(({ p, ms }) => ({ x: percentilePosition(p), y: ms })),
  }));
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = series.flatMap(({ points }) => points.map(({ y }) => y));
  if (new Set(xs).size < 2) {
    document.paragraph(
      'Too few messages for percentile curves: each point needs at least ten messages beyond it.',
    );
    return;
  }
  const isLog = Math.min(...ys) > 0 && Math.max(...ys) / Math.min(...ys) > 20;
  document.figure(
    'Latency percentiles',
    `All messages from the included runs together, ${countWords(
      report.latency.map(({ messages }) => messages),
      'message',
    )}; a percentile is drawn only if at least ten messages are beyond it.`,
    {
      picture: drawLines(context, {
        label: 'Latency percentiles',
        xLabel: 'share of faster messages',
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
