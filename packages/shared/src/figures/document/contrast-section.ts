import { titleOf } from '../../analysis/report/phrase.ts';
import type { ReportContrast, ReportResponse } from '../../domain/report.ts';
import { formatFixed } from '../../format/number.ts';
import { drawForest, type ForestRow } from '../forest-figure.ts';
import type { FigureContext } from '../treatments.ts';
import type { DocumentBuilder, DocumentTable } from './blocks.ts';
import { effectText, intervalText, percentText, pText, runsWords, unitOfEstimates } from './words.ts';

const twoDecimals = (value: number) => formatFixed(value, 2);

/** What each treatment costs against its baseline, as a table, in its unit or percent, and as effect sizes. */
export function addContrasts(
  document: DocumentBuilder,
  context: FigureContext,
  response: ReportResponse,
): void {
  if (response.contrasts.length === 0) return;
  const { contrasts } = response;
  const title = titleOf(response);
  const only = onlyBaseline(context, contrasts);
  const against = only ?? 'the baseline';
  document.table(
    `${title}: contrasts against ${against}${context.rows.length > 1 ? ' at the same other levels' : ''}. Differences and ratios with 95 % intervals; g: Hedges’ g with its 95 % interval, δ: Cliff’s delta; p after Holm over these ${contrasts.length} contrasts; n: runs of the treatment and of the baseline.`,
    contrastTable(context, contrasts, { response, hidesBaseline: only !== null }),
  );
  if (contrasts.every(({ difference }) => difference === null)) return;
  const inPercent = contrasts.every(({ percent, difference }) => percent !== null || difference === null);
  const intervals = contrasts.some(({ lo }) => lo !== null)
    ? `error bars: 95 % ${inPercent ? 'intervals of the ratio of means' : 't intervals'} (paired by repetition where both sides have the same ones, Welch’s otherwise)`
    : 'without error bars, as there is no interval';
  document.figure(
    `${title}: difference from ${against}`,
    `In ${inPercent ? `percent of ${against}` : response.unit}; ${intervals}; dashed: no difference; ${runsWords(response.estimates)}.`,
    {
      picture: drawForest(
        context,
        contrasts.map((contrast) => forestRow(context, contrast, inPercent)),
        {
          unit: inPercent ? `difference, % of ${against}` : `difference, ${response.unit}`,
          title: `${title}: difference from ${against}`,
        },
      ),
      table: rawContrastTable(context, contrasts, response.unit),
    },
  );
  if (contrasts.some(({ hedgesG }) => hedgesG !== null)) addEffectSizes(document, context, response);
  if (response.between.length > contrasts.length) {
    document.table(
      `${title}: every pair at the same other levels, as in the table before; p after Holm over these ${response.between.length} pairs.`,
      contrastTable(context, response.between, { response, hidesBaseline: false }),
    );
  }
}

function addEffectSizes(document: DocumentBuilder, context: FigureContext, response: ReportResponse): void {
  const { contrasts } = response;
  const title = titleOf(response);
  const against = onlyBaseline(context, contrasts) ?? 'the baseline';
  document.figure(
    `${title}: effect sizes`,
    `Bars: Hedges’ g against ${against}, the difference of run means in units of their spread from run to run, with 95 % intervals from the non-central t distribution; hollow diamonds: Cohen’s d, which takes no account of how few runs there are; ${runsWords(response.estimates)}.`,
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
        { unit: 'Hedges’ g (bar), Cohen’s d (diamond)', title: `${title}: effect sizes` },
      ),
      table: rawContrastTable(context, contrasts, response.unit),
    },
  );
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

/** Name of the one that every contrast is held against, where levels other than the colour are the same. */
function onlyBaseline({ find, name }: FigureContext, contrasts: readonly ReportContrast[]): string | null {
  const names = new Set(
    contrasts.map(({ treatment, baseline }) =>
      find(treatment).rowLabel === find(baseline).rowLabel ? find(baseline).colourLabel : name(baseline),
    ),
  );
  return names.size === 1 ? ([...names][0] ?? null) : null;
}

function contrastTable(
  context: FigureContext,
  contrasts: readonly ReportContrast[],
  { response, hidesBaseline }: { response: ReportResponse; hidesBaseline: boolean },
): DocumentTable {
  const { name, find, rows } = context;
  const isPairs = !hidesBaseline;
  const hasRows = rows.length > 1;
  const { unit, scale } = unitOfEstimates(response.estimates, response.unit);
  const runsOf = (key: string) => response.estimates.find(({ treatment }) => treatment === key)?.n ?? 0;
  return {
    columns: [
      { head: 'Treatment' },
      ...(isPairs ? [{ head: 'Against' }, ...(hasRows ? [{ head: 'At' }] : [])] : []),
      { head: 'Difference', unit },
      ...(isPairs ? [] : [{ head: 'Relative', unit: '%' }]),
      { head: 'g' },
      ...(isPairs ? [] : [{ head: 'δ', format: twoDecimals }]),
      { head: 'p', isFigures: true },
      { head: 'n', isFigures: true },
      { head: 'Judged' },
    ],
    rows: contrasts.map((contrast) => [
      isPairs ? find(contrast.treatment).colourLabel : name(contrast.treatment),
      ...(isPairs
        ? [onlyBaseline(context, [contrast]) ?? '', ...(hasRows ? [find(contrast.treatment).rowLabel] : [])]
        : []),
      intervalText({ value: contrast.difference, lo: contrast.lo, hi: contrast.hi }, { scale, signed: true }),
      ...(isPairs ? [] : [percentText(contrast)]),
      effectText(contrast),
      ...(isPairs ? [] : [contrast.cliffsDelta]),
      pText(contrast.p),
      `${runsOf(contrast.treatment)}, ${runsOf(contrast.baseline)}`,
      contrast.note ?? contrast.method.replace(' by repetition', ''),
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
