import { comparisonRule, resolvedRule } from '@mqttlab/shared/analysis/contrasts';
import { stoppingNote } from '@mqttlab/shared/analysis/counting-runs';
import { minRuns, usualLevel } from '@mqttlab/shared/analysis/estimate';
import { nounOf } from '@mqttlab/shared/analysis/phrase';
import { flagRule } from '@mqttlab/shared/catalogue/flags';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import { startSentence } from '@mqttlab/shared/format/unit';
import type { Palette } from '../drawing/palette.ts';
import { type FigureContext, makeFigureContext } from '../drawing/treatments.ts';
import { columnsOf } from '../table.ts';
import { type Block, DocumentBuilder } from './blocks.ts';
import { addEnergy } from './energy-section.ts';
import { capturedTable, radioCaption, radioTable } from './evidence-tables.ts';
import { furtherFindings, leastPoints, leastRelative } from './further-findings.ts';
import { addCosts, addOtherMetrics } from './metrics-section.ts';
import { addResponse } from './response-section.ts';
import { addTime } from './time-section.ts';

/**
 * Makes the report in the order of a results section: findings, design, validity, then figures and tables.
 */
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

/** Returns sentences about the rules, made with the functions and constants that implement them. */
function methodsOf({ responses, bootstraps, validity, design }: Report): string[] {
  const [bootstrap] = bootstraps;
  const contrasts = responses.flatMap((response) => [...response.contrasts, ...response.between]);
  const flags = validity.takesFlagged ? 'Flagged runs are included on request' : startSentence(flagRule);
  const level = design.stopping === null ? [] : [`${startSentence(stoppingNote)}.`];
  return [
    `The unit of inference is the run: every run gives one value of each metric. Means are given with Student’s ${100 * usualLevel} % t interval over runs. Failed and excluded runs are not included. ${flags}.`,
    ...level,
    ...(contrasts.length === 0
      ? []
      : [
          `Two treatments are compared by ${comparisonRule(contrasts)}. Relative differences come from the ratio of geometric means. Effect sizes are Hedges’ g of the run values of both treatments. They use the pooled standard deviation of independent groups, also for paired runs, and limits from the non-central t distribution.`,
          `p-values are adjusted with Holm’s method over the contrasts in one table and are not given if either treatment has fewer than ${minRuns} runs. A sentence claims a difference only if ${resolvedRule}.`,
        ]),
    ...(bootstrap
      ? [
          `The block bootstrap follows the published study (circular blocks of ${bootstrap.blockLength} samples, ${formatCount(bootstrap.replicates)} replicates, ${100 * usualLevel} % percentile interval) and is shown next to the interval over runs for comparison.`,
        ]
      : []),
  ];
}

/** Adds the findings, the design and the included runs. */
function addOpening(document: DocumentBuilder, context: FigureContext): void {
  const { report } = context;
  document.heading('Findings');
  const [lead] = report.responses;
  if (!lead) {
    document.note('No run is included, so there are no results. The validity section states the reasons.');
  } else {
    document.findings(lead.findings.map(({ text, kind }) => ({ text, isResolved: kind === 'resolved' })));
    const { findings, others } = furtherFindings(report.responses);
    if (findings.length > 0) {
      document.paragraph(
        `Differences were also resolved in these other metrics, largest first; each metric is a separate family. Differences smaller than ${100 * leastRelative} % of the baseline, or ${leastPoints} percentage points for shares, are omitted.`,
      );
      document.findings(findings.map(({ text }) => ({ text, isResolved: true })));
    }
    if (others > 0) {
      document.paragraph(
        `${plural(others, 'further metric')} with a resolved difference ${others === 1 ? 'is' : 'are'} listed only in the tables, because the facts are the same or the differences are smaller.`,
      );
    }
  }
  document.list(report.missing);
  addDesign(document, context);
  addValidity(document, context);
}

function addDesign(document: DocumentBuilder, { report }: FigureContext): void {
  const { design, treatments } = report;
  document.heading('Design');
  const foreign = report.experiment.imported?.foreign;
  const order = foreign
    ? `measured with ${foreign.tool} in an unknown order`
    : design.order === 'random in block'
      ? `in random order within each repetition (seed ${design.seed})`
      : 'in the order listed';
  document.paragraph(
    `${treatments.length} ${treatments.length === 1 ? 'treatment' : 'treatments'} × ${design.repetitions} ${design.repetitions === 1 ? 'repetition' : 'repetitions'}, ${order}. The response is ${nounOf({ label: design.response })}; ${treatments.length === 1 ? 'nothing was varied' : `the baseline is ${design.baseline}`}.`,
  );
  if (design.stopping) document.paragraph(design.stopping);
  const caption = foreign
    ? 'Design. Only the names of the treatments are known.'
    : 'Design: the varied factors with their levels; everything else was held constant.';
  const held = design.rows.filter(({ varied }) => !varied);
  document.table(caption, {
    columns: columnsOf('Parameter', 'Levels'),
    rows: [
      ...design.rows
        .filter(({ varied }) => varied)
        .map(({ parameter, levels }) => [parameter, levels.join(' · ')]),
      ...(held.length > 0
        ? [
            [
              'Held constant',
              held.map(({ parameter, levels }) => `${parameter}: ${levels.join(' · ')}`).join('; '),
            ],
          ]
        : []),
    ],
  });
  if (design.excluded.length > 0) {
    document.paragraph('Combinations that this testbed cannot run were left out of the plan:');
    document.list(design.excluded.map(({ label, reason }) => `${label}: ${reason}`));
  }
}

function addValidity(document: DocumentBuilder, { report, runName }: FigureContext): void {
  const { validity } = report;
  document.heading('Validity');
  document.paragraph(validity.sentences.join(' '));
  document.table('Verdicts over all finished runs.', {
    columns: columnsOf('Check', 'Passed', 'Failed', 'Not applicable'),
    rows: validity.verdicts.map(({ label, passed, failed, notApplicable }) => [
      label,
      passed,
      failed,
      notApplicable,
    ]),
  });
  document.table(
    'Flagged, failed and excluded runs, with the reason. A flagged run is left out only from the metrics that its flag affects.',
    {
      columns: columnsOf('Run', 'Treatment', 'Repetition', 'Reason'),
      rows: validity.leftOut.map(({ runId, treatment, block, reason }) => [
        runName(runId),
        treatment,
        block,
        reason,
      ]),
    },
  );
  document.table(radioCaption, radioTable(report));
  const labels = new Map(report.treatments.map(({ key, label }) => [key, label]));
  document.table(
    'Data visible to an eavesdropper in the first run of each treatment, from packets at the broker’s port.',
    capturedTable(report.captured, (key) => labels.get(key) ?? key),
  );
}
