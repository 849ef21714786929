import { comparisonRule, resolvedRule } from '@mqttlab/shared/analysis/contrasts';
import { stoppingNote } from '@mqttlab/shared/analysis/counting-runs';
import { minRuns, usualLevel } from '@mqttlab/shared/analysis/estimate';
import { flagRule } from '@mqttlab/shared/catalogue/flags';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { formatCount } from '@mqttlab/shared/format/number';
import { startSentence } from '@mqttlab/shared/format/unit';
import type { Palette } from '../drawing/palette.ts';
import { makeFigureContext } from '../drawing/treatments.ts';
import { type Block, DocumentBuilder } from './blocks.ts';
import { addEnergy } from './energy-section.ts';
import { addCosts, addOtherMetrics } from './metrics-section.ts';
import { addOpening } from './opening.ts';
import { addResponse } from './response-section.ts';
import { addTime } from './time-section.ts';

/** The report as a results section reads: findings, design, validity, then figures and tables. Pure. */
export function makeDocument(report: Report, palette: Palette): Block[] {
  const document = new DocumentBuilder();
  const context = makeFigureContext(report, palette);
  addOpening(document, context);
  if (report.claims.length > 0) document.heading('Claims of the study');
  document.claims(report.claims);
  const [lead] = report.responses;
  if (lead) {
    addResponse(document, context, lead);
    addOtherMetrics(document, context);
    addCosts(document, context);
    addTime(document, context);
    addEnergy(document, context);
  }
  document.heading('Methods');
  document.list(methodsOf(report));
  document.paragraph(`Made with ${report.software}.`);
  return document.blocks;
}

/** Sentences about rules, from the functions and constants that implement them. */
function methodsOf({ responses, bootstraps, validity, design }: Report): string[] {
  const [bootstrap] = bootstraps;
  const contrasts = responses.flatMap((response) => [...response.contrasts, ...response.between]);
  const flags = validity.takesFlagged ? 'Flagged runs are included on request' : startSentence(flagRule);
  const level = design.stopping === null ? [] : [`${startSentence(stoppingNote)}.`];
  return [
    `The unit of inference is the run: every run gives one value of each metric. Means carry Student’s ${100 * usualLevel} % t interval over runs. Failed and excluded runs do not count. ${flags}.`,
    ...level,
    ...(contrasts.length === 0
      ? []
      : [
          `Two treatments are compared by ${comparisonRule(contrasts)}. Relative differences come from the ratio of geometric means. Effect sizes are Hedges’ g of the run values of both sides with the pooled standard deviation of independent groups, for paired runs too, and limits from the non-central t distribution.`,
          `p-values are adjusted by Holm over the contrasts of one table and are not given below ${minRuns} runs on a side. A sentence claims a difference only if ${resolvedRule}.`,
        ]),
    ...(bootstrap
      ? [
          `The block bootstrap follows the published study (circular blocks of ${bootstrap.blockLength} samples, ${formatCount(bootstrap.replicates)} replicates, ${100 * usualLevel} % percentile interval) and is shown next to the interval over runs for comparison.`,
        ]
      : []),
  ];
}
