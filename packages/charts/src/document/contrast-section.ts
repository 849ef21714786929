import { comparisonRule, holmNote } from '@mqttlab/shared/analysis/contrasts';
import { titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportContrast, ReportResponse } from '@mqttlab/shared/domain/report/report';
import { formatFixed } from '@mqttlab/shared/format/number';
import { drawFigure } from '../drawing/figure.ts';
import type { FigureContext } from '../drawing/treatments.ts';
import { describeForest, type ForestRow } from '../kinds/forest.ts';
import { columnsOf, type DocumentTable } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { asDrawn, effectText, intervalText, pText, runsWords, unitOfEstimates } from './words.ts';

const twoDecimals = (value: number) => formatFixed(value, 2);

/**
 * Adds the contrasts of each treatment with its baseline: table, differences in the unit or in percent, and
 * effect sizes.
 */
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
  const inPercent = isInPercent(contrasts);
  document.table(
    `${title}: contrasts against ${against}${context.rows.length > 1 ? ' at equal levels of the other factors' : ''}. Differences and ratios with 95 % intervals; g: Hedges’ g of independent groups with its 95 % interval, δ: Cliff’s delta; ${holmNote(contrasts)}; n: runs of the treatment and of the baseline.`,
    contrastTable(context, contrasts, { response, hidesBaseline: only !== null }),
  );
  if (contrasts.every(({ value }) => value === null)) return;
  const intervals = contrasts.some(({ lo }) => lo !== null)
    ? `error bars: 95 % ${inPercent ? 't intervals of the ratio, on the log scale' : 't intervals'} (${comparisonRule(contrasts)})`
    : 'without error bars, as there is no interval';
  document.figure(
    `${title}: difference from ${against}`,
    `In ${inPercent ? `percent of ${against}` : response.unit}; ${intervals}; dashed: no difference; ${runsWords(response.estimates)}.`,
    {
      picture: drawFigure(
        describeForest(context.palette, {
          label: `${title}: difference from ${against}`,
          unit: inPercent ? `difference, % of ${against}` : `difference, ${response.unit}`,
          rows: contrasts.map((contrast) => forestRow(context, contrast)),
        }),
        context.palette,
      ),
      table: rawContrastTable(context, contrasts, response.unit),
    },
  );
  if (contrasts.some(({ hedgesG }) => hedgesG !== null)) addEffectSizes(document, context, response);
  if (response.between.length > 0) {
    document.table(
      `${title}: all other pairs at equal levels of the other factors, as in the previous table; ${holmNote(response.between)}.`,
      contrastTable(context, response.between, { response, hidesBaseline: false }),
    );
  }
  if (response.otherMethods) addOtherMethods(document, context, { title, ...response.otherMethods });
}

function addOtherMethods(
  document: DocumentBuilder,
  { name }: FigureContext,
  { title, rows, allTogether }: NonNullable<ReportResponse['otherMethods']> & { title: string },
): void {
  const isPaired = rows.some(({ dz }) => dz !== null);
  const p = (head: string) => ({ head, isFigures: true });
  document.table(
    `${title}: the same contrasts by other methods, to check the influence of the method; findings use the first column. Plain t: ${isPaired ? 'paired' : 'Student’s'}, without logarithms. Ranks: ${isPaired ? 'Wilcoxon’s signed ranks' : 'Mann-Whitney'}, with the smallest possible p for this number of runs.`,
    {
      columns: columnsOf(
        'Contrast',
        p('p, Holm'),
        p('p, Bonferroni'),
        p('p, Benjamini-Hochberg'),
        p('p, plain t'),
        p('p, ranks'),
        p('least p of ranks'),
        isPaired && { head: 'dz', format: twoDecimals },
      ),
      rows: rows.map((row) => [
        `${name(row.treatment)} against ${name(row.baseline)}`,
        pText(row.holm),
        pText(row.bonferroni),
        pText(row.falseDiscovery),
        pText(row.student),
        pText(row.ranks),
        pText(row.leastP),
        ...(isPaired ? [row.dz] : []),
      ]),
    },
  );
  if (allTogether) document.note(allTogether);
}

function addEffectSizes(document: DocumentBuilder, context: FigureContext, response: ReportResponse): void {
  const { contrasts } = response;
  const title = titleOf(response);
  const against = onlyBaseline(context, contrasts) ?? 'the baseline';
  document.figure(
    `${title}: effect sizes`,
    `Bars: Hedges’ g against ${against}, the difference of run means in units of their spread from run to run, with 95 % intervals from the non-central t distribution; hollow diamonds: Cohen’s d, which is not corrected for few runs; ${runsWords(response.estimates)}.`,
    {
      picture: drawFigure(
        describeForest(context.palette, {
          label: `${title}: effect sizes`,
          unit: 'Hedges’ g (bar), Cohen’s d (diamond)',
          rows: contrasts.map((contrast) => ({
            ...forestRow(context, contrast),
            value: contrast.hedgesG,
            lo: contrast.gLo,
            hi: contrast.gHi,
            text: effectText(contrast),
            isBar: true,
            other: contrast.cohensD,
          })),
        }),
        context.palette,
      ),
      table: rawContrastTable(context, contrasts, response.unit),
    },
  );
}

function forestRow({ find, name }: FigureContext, contrast: ReportContrast): ForestRow {
  const { mark } = find(contrast.treatment);
  const drawn = asDrawn(contrast);
  return { name: name(contrast.treatment), mark, ...drawn, text: intervalText(drawn, { signed: true }) };
}

/** Returns true if every contrast with a value is a ratio. */
function isInPercent(contrasts: readonly ReportContrast[]): boolean {
  return contrasts.every(({ scale, value }) => value === null || scale === 'ratio');
}

/**
 * Returns the name of the baseline that all contrasts at equal levels of the other factors share; null if
 * they differ.
 */
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
  const inPercent = isInPercent(contrasts);
  const hasRows = rows.length > 1;
  const { unit, scale } = unitOfEstimates(response.estimates, response.unit);
  const runsOf = (key: string) => response.estimates.find(({ treatment }) => treatment === key)?.n ?? 0;
  return {
    columns: columnsOf(
      'Treatment',
      ...(isPairs ? ['Against', hasRows && 'At'] : []),
      inPercent && ['Relative', '%'],
      ['Difference', unit],
      'g',
      ...(isPairs ? [] : [{ head: 'δ', format: twoDecimals }]),
      { head: 'p', isFigures: true },
      { head: 'n', isFigures: true },
      'Judged',
    ),
    rows: contrasts.map((contrast) => [
      isPairs ? find(contrast.treatment).colourLabel : name(contrast.treatment),
      ...(isPairs
        ? [onlyBaseline(context, [contrast]) ?? '', ...(hasRows ? [find(contrast.treatment).rowLabel] : [])]
        : []),
      ...(inPercent ? [intervalText(asDrawn(contrast), { signed: true })] : []),
      contrast.scale === 'ratio'
        ? intervalText({ value: contrast.inUnits, lo: null, hi: null }, { scale, signed: true })
        : intervalText(contrast, { scale, signed: true }),
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
      ...(isInPercent(contrasts)
        ? ['Relative', 'relative from', 'relative to'].map((head) => ({ head, unit: '%' }))
        : ['Difference', 'from', 'to'].map((head) => ({ head, unit }))),
      { head: 'Difference of centres', unit },
      ...['Cohen d', 'Hedges g', 'g from', 'g to', 'Cliff delta', 'p Holm'].map((head) => ({ head })),
    ],
    rows: contrasts.map((one) => [
      name(one.treatment),
      name(one.baseline),
      ...Object.values(asDrawn(one)),
      one.inUnits,
      one.cohensD,
      one.hedgesG,
      one.gLo,
      one.gHi,
      one.cliffsDelta,
      one.p,
    ]),
  };
}
