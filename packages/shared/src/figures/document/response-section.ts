import type { ReportContrast, ReportResponse } from '../../domain/report.ts';
import { formatFixed, formatNumber } from '../../format/number.ts';
import { drawBoxes } from '../boxes-figure.ts';
import { drawForest, type ForestRow } from '../forest-figure.ts';
import { drawInteraction } from '../interaction-figure.ts';
import { drawMeans } from '../means-figure.ts';
import type { FigureContext } from '../treatments.ts';
import type { DocumentBuilder, DocumentTable } from './blocks.ts';
import { addPercentiles } from './percentile-section.ts';
import { effectText, intervalText, percentText, pText, shareText, unitOfEstimates } from './words.ts';

const twoDecimals = (value: number) => formatFixed(value, 2);

/** Means, contrasts and effects of the response. */
export function addResponse(
  document: DocumentBuilder,
  context: FigureContext,
  response: ReportResponse,
): void {
  const { report } = context;
  const { unit, scale } = unitOfEstimates(response.estimates, response.unit);
  const hasNotes = response.estimates.some(({ note }) => note !== null);
  document.heading(response.label);
  document.table(
    `${response.label} by treatment: mean of runs with Student’s 95 % t interval. The run is the unit of inference.`,
    {
      columns: [
        { head: 'Treatment' },
        { head: 'Runs' },
        { head: 'Mean', unit },
        { head: 'SD', unit, format: (sd: number) => formatNumber(sd, 2) },
        { head: 'CV' },
        ...(hasNotes ? [{ head: 'Note' }] : []),
      ],
      rows: response.estimates.map(({ treatment, n, mean, sd, lo, hi, cv, note }) => [
        context.name(treatment),
        n,
        intervalText({ value: mean, lo, hi }, { scale }),
        sd === null ? null : sd * scale,
        shareText(cv),
        ...(hasNotes ? [note ?? ''] : []),
      ]),
    },
  );
  if (response.estimates.some(({ mean }) => mean !== null)) {
    document.figure(
      `${response.label} by treatment`,
      'Bars: mean of runs; whiskers: 95 % t interval; points: single runs.',
      { picture: drawMeans(context, response), table: estimateTable(context, response) },
    );
  }
  if (response.metric.startsWith('latency') && report.latency.length > 0) {
    document.figure(
      'Message latency',
      'All messages of the runs that count: box P25 to P75 with the median, whiskers P5 to P95, marker at the mean. The spread is that of messages, not the uncertainty of a mean.',
      { picture: drawBoxes(context), table: boxTable(context) },
    );
    addPercentiles(document, context);
  }
  addContrasts(document, context, response);
  addEffects(document, context, response);
}

export function estimateTable({ name }: FigureContext, { estimates, unit }: ReportResponse): DocumentTable {
  return {
    columns: [
      { head: 'Treatment' },
      { head: 'Runs' },
      { head: 'Mean', unit },
      { head: 'SD', unit },
      { head: '95 % CI from', unit },
      { head: '95 % CI to', unit },
    ],
    rows: estimates.map(({ treatment, n, mean, sd, lo, hi }) => [name(treatment), n, mean, sd, lo, hi]),
  };
}

function boxTable({ report, name }: FigureContext): DocumentTable {
  const quantiles = ['P5', 'P25', 'P50', 'P75', 'P95', 'Mean'];
  return {
    columns: [
      { head: 'Treatment' },
      { head: 'Messages' },
      ...quantiles.map((head) => ({ head, unit: 'ms' })),
    ],
    rows: report.latency.map(({ treatment, messages, box }) => [
      name(treatment),
      messages,
      ...[box.p5, box.p25, box.p50, box.p75, box.p95, box.mean],
    ]),
  };
}

function addContrasts(document: DocumentBuilder, context: FigureContext, response: ReportResponse): void {
  if (response.contrasts.length === 0) return;
  const { contrasts } = response;
  document.table(
    `Contrasts against the baseline at the same other levels. p after Holm over these ${contrasts.length} contrasts; g is Hedges’ g, δ Cliff’s delta.`,
    contrastTable(context, contrasts, response),
  );
  const inPercent = contrasts.every(({ percent, difference }) => percent !== null || difference === null);
  document.figure(
    `${response.label}: difference from the baseline`,
    inPercent
      ? 'In percent of the baseline, with 95 % intervals of the ratio of means (paired by repetition where both sides have the same ones).'
      : `In ${response.unit}, with 95 % intervals.`,
    {
      picture: drawForest(
        context,
        contrasts.map((contrast) => forestRow(context, contrast, inPercent)),
        {
          unit: inPercent ? '% of the baseline' : response.unit,
          title: `${response.label}: difference from the baseline`,
        },
      ),
      table: rawContrastTable(context, contrasts, response.unit),
    },
  );
  document.figure(
    `${response.label}: effect sizes`,
    'Bars: Hedges’ g of run values with 95 % intervals from the non-central t distribution, the difference in units of the spread from run to run; hollow diamonds: Cohen’s d, which takes no account of how few runs there are.',
    {
      picture: drawForest(
        context,
        contrasts.map((contrast) => ({
          ...forestRow(context, contrast, true),
          value: contrast.hedgesG,
          lo: contrast.gLo,
          hi: contrast.gHi,
          text: effectText(contrast),
          isBar: true,
          other: contrast.cohensD,
        })),
        { unit: 'Hedges’ g, Cohen’s d', title: `${response.label}: effect sizes` },
      ),
      table: rawContrastTable(context, contrasts, response.unit),
    },
  );
  if (response.between.length > contrasts.length) {
    document.table(
      `Every pair at the same other levels; p after Holm over these ${response.between.length} pairs.`,
      contrastTable(context, response.between, response),
    );
  }
}

function forestRow({ find, name }: FigureContext, contrast: ReportContrast, inPercent: boolean): ForestRow {
  const { mark } = find(contrast.treatment);
  const title = name(contrast.treatment);
  return inPercent
    ? {
        name: title,
        mark,
        value: contrast.percent,
        lo: contrast.percentLo,
        hi: contrast.percentHi,
        text: percentText(contrast),
      }
    : {
        name: title,
        mark,
        value: contrast.difference,
        lo: contrast.lo,
        hi: contrast.hi,
        text: intervalText(
          { value: contrast.difference, lo: contrast.lo, hi: contrast.hi },
          { signed: true },
        ),
      };
}

function contrastTable(
  { name }: FigureContext,
  contrasts: readonly ReportContrast[],
  response: ReportResponse,
): DocumentTable {
  const { unit, scale } = unitOfEstimates(response.estimates, response.unit);
  return {
    columns: [
      { head: 'Treatment' },
      { head: 'Against' },
      { head: 'Difference', unit },
      { head: 'Relative', unit: '%' },
      { head: 'g' },
      { head: 'δ', format: twoDecimals },
      { head: 'p' },
      { head: 'Judged' },
    ],
    rows: contrasts.map((contrast) => [
      name(contrast.treatment),
      name(contrast.baseline),
      intervalText({ value: contrast.difference, lo: contrast.lo, hi: contrast.hi }, { scale, signed: true }),
      percentText(contrast),
      effectText(contrast),
      contrast.cliffsDelta,
      pText(contrast.p),
      contrast.note ?? `${contrast.method.replace(' by repetition', '')}, ${contrast.runs} runs`,
    ]),
  };
}

function rawContrastTable(
  { name }: FigureContext,
  contrasts: readonly ReportContrast[],
  unit: string,
): DocumentTable {
  return {
    columns: [
      { head: 'Treatment' },
      { head: 'Against' },
      { head: 'Difference', unit },
      { head: 'from', unit },
      { head: 'to', unit },
      ...['Relative', 'relative from', 'relative to'].map((head) => ({ head, unit: '%' })),
      ...['Cohen d', 'Hedges g', 'g from', 'g to', 'Cliff delta', 'p Holm'].map((head) => ({ head })),
    ],
    rows: contrasts.map((one) => [
      name(one.treatment),
      name(one.baseline),
      ...[one.difference, one.lo, one.hi, one.percent, one.percentLo, one.percentHi],
      ...[one.cohensD, one.hedgesG, one.gLo, one.gHi, one.cliffsDelta, one.p],
    ]),
  };
}

function addEffects(document: DocumentBuilder, context: FigureContext, response: ReportResponse): void {
  document.heading('Main effects and interactions');
  if (response.effectsNote) document.note(response.effectsNote);
  const { effects, unit } = response;
  if (effects.length === 0) return;
  const { unit: shown, scale } = unitOfEstimates(response.estimates, unit);
  document.table(
    'Effects on the response, averaged over the other factors; interactions are what is left beyond the sum of main effects. Intervals are over repetitions, p after Holm over all effects.',
    {
      columns: [
        { head: 'Effect' },
        { head: 'Factor' },
        { head: 'Estimate', unit: shown },
        { head: 'p' },
        { head: 'Repetitions' },
      ],
      rows: effects.map(({ label, factor, estimate, lo, hi, p, blocks }) => [
        label,
        factor,
        intervalText({ value: estimate, lo, hi }, { scale, signed: true }),
        pText(p),
        blocks,
      ]),
    },
  );
  if (context.rows.length > 1 && context.colours.length > 1) {
    document.figure(
      `${response.label}: interaction`,
      'Mean of runs with 95 % interval. Parallel lines: the factors add up; lines that are not: the effect of one depends on the other.',
      { picture: drawInteraction(context, response), table: estimateTable(context, response) },
    );
  }
}
