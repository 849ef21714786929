import { nounOf } from '@mqttlab/shared/analysis/phrase';
import type { FigureContext } from '../drawing/treatments.ts';
import { columnsOf } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { capturedTable, radioCaption, radioTable } from './evidence-tables.ts';
import { isVariant } from './words.ts';

/** Metrics told in the findings beside the response, where they have something resolved to say. */
const told = 5;

/** Findings first, then how they were obtained and which runs count. */
export function addOpening(document: DocumentBuilder, context: FigureContext): void {
  const { report } = context;
  document.heading('Findings');
  const [lead, ...others] = report.responses;
  if (!lead) {
    document.note('No run counts, so there is nothing to report. The validity section says why.');
  } else {
    document.findings(lead.findings.map(({ text, kind }) => ({ text, isResolved: kind === 'resolved' })));
    const further = others
      .filter(({ findings }) => findings.some(({ kind }) => kind === 'resolved'))
      .filter(({ metric }) => !isVariant(metric))
      .slice(0, told)
      .flatMap(({ findings }) =>
        findings.filter(({ kind, text }) => kind === 'resolved' && !text.startsWith('Effects on')),
      );
    if (further.length > 0) {
      document.paragraph(
        'Beyond the response, these differences were resolved, each metric a family of its own:',
      );
      document.findings(further.map(({ text }) => ({ text, isResolved: true })));
    }
  }
  document.list(report.missing);
  addDesign(document, context);
  addValidity(document, context);
}

function addDesign(document: DocumentBuilder, { report }: FigureContext): void {
  const { design, treatments } = report;
  document.heading('Design');
  const order =
    design.order === 'random in block'
      ? `in a random order inside each repetition (seed ${design.seed})`
      : 'in the order listed';
  document.paragraph(
    `${treatments.length} ${treatments.length === 1 ? 'treatment' : 'treatments'} × ${design.repetitions} ${design.repetitions === 1 ? 'repetition' : 'repetitions'}, ${order}. The response is ${nounOf({ label: design.response })}; ${treatments.length === 1 ? 'nothing was varied' : `the baseline is ${design.baseline}`}.`,
  );
  if (design.stopping) document.paragraph(design.stopping);
  document.table('Design. Factors that were varied come first; everything else was held.', {
    columns: columnsOf('Parameter', 'Levels', 'Status'),
    rows: design.rows.map(({ parameter, levels, varied }) => [
      parameter,
      levels.join(' · '),
      varied ? 'varied' : 'held',
    ]),
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
  document.table('Runs that do not count, with the reason.', {
    columns: columnsOf('Run', 'Treatment', 'Repetition', 'Reason'),
    rows: validity.leftOut.map(({ runId, treatment, block, reason }) => [
      runName(runId),
      treatment,
      block,
      reason,
    ]),
  });
  document.table(radioCaption, radioTable(report));
  const labels = new Map(report.treatments.map(({ key, label }) => [key, label]));
  document.table(
    'What an eavesdropper saw in the first run of each treatment, by the packets at the port of the broker.',
    capturedTable(report.captured, (key) => labels.get(key) ?? key),
  );
}
