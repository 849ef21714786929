import type { Report } from '../../domain/report/report.ts';
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
  const [lead] = report.responses;
  if (lead) {
    addResponse(document, context, lead);
    addOtherMetrics(document, context);
    addCosts(document, context);
    addTime(document, context);
    addEnergy(document, context);
  }
  document.heading('Methods');
  document.list(methods);
  document.paragraph(`Made with ${report.software}.`);
  return document.blocks;
}

const methods = [
  'The unit of inference is the run: every run gives one value of each metric. Means carry Student’s 95 % t interval over runs; a run that a verdict flagged, that failed or that was excluded does not count unless it says so above.',
  'Two treatments are compared by the paired t interval over repetitions where both have the same ones (they ran in the same randomised block), by Welch’s otherwise. Relative differences come from the ratio of means on the logarithm, effect sizes are Hedges’ g with intervals from the non-central t distribution.',
  'p-values are adjusted by Holm over the contrasts of one table and are not given below three runs on a side. A sentence claims a difference only where the interval leaves zero out and the adjusted p is below 0.05.',
  'The block bootstrap follows the published study (circular blocks of 20 samples, 2000 replicates, percentile interval) and stands beside the interval over runs for comparison.',
];
