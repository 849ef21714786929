import { contrastTreatments } from '@mqttlab/shared/analysis/contrasts';
import { contrastSentence } from '@mqttlab/shared/analysis/findings';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { StudyReference } from '@mqttlab/shared/domain/plans/study-file';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { type Measured, measured, measuredCell } from '@mqttlab/shared/figures/blocks/measured';
import { type DocumentBuilder, type DocumentTable, makeTable } from '@mqttlab/shared/figures/document/blocks';
import { intervalText } from '@mqttlab/shared/figures/document/words';
import { drawBeside } from '@mqttlab/shared/figures/dots-figure';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { StudyInput } from './input.ts';

type ReferenceMetric = StudyReference['metrics'][number];

interface Row {
  one: ComparedTreatment;
  /** Where the study was saved. */
  there: ReferenceMetric['values'][number] | undefined;
  here: Measured | null;
}

/** A study that somebody saved: its figures from there beside those from here, metric by metric. */
export function addOwnResults(input: StudyInput, builder: DocumentBuilder): void {
  const own = input.study.parts.find(({ id }) => id === input.origin.partId)?.own;
  const reference = own?.reference ?? null;
  const metrics = reference?.metrics.length ? reference.metrics : [emptyMetric(own?.response ?? '')];
  const compared = metrics.map((metric) => ({ metric, rows: rowsOf(input, metric) }));
  if (!reference) {
    builder.note(
      'It was saved before it had run: there are no figures of another testbed to set beside these.',
    );
  }
  for (const { metric, rows } of compared) {
    const table = tableOf(rows, metric.unit);
    const picture = drawBeside({
      palette: input.palette,
      rows: rows.map(({ one, there, here }) => ({
        label: one.treatment.shortLabel,
        published: there ? [there.mean] : [],
        measured: here && { mark: one.treatment.mark, ...here },
      })),
      xLabel: metric.unit,
      label: `${metric.label} by configuration`,
    });
    builder.figure(
      reference ? `${metric.label}, where it was saved and here` : metric.label,
      'Diamonds: where the study was saved; filled: this testbed, with its 95 % interval over runs.',
      { picture, table },
    );
  }
  builder.heading('Agreement and difference');
  for (const { metric, rows } of compared) builder.paragraph(coverage(metric, rows));
  const [lead] = compared;
  const [first, ...others] = input.treatments;
  if (!lead || !first) return;
  const pairs = others.map((one) => [one, first] as const);
  const metric = findMetric(lead.metric.metric);
  const contrasts = metric
    ? contrastTreatments({
        treatments: input.treatments,
        metric,
        flagged: input.flagged,
        pairs,
        baselineId: '',
      })
    : [];
  builder.list(metric ? contrasts.map((contrast) => contrastSentence(contrast, metric)) : []);
  const found = new Set(lead.rows.map(({ there }) => there));
  for (const value of lead.metric.values.filter((one) => !found.has(one))) {
    builder.note(
      `Gap: ${value.label} was measured where the study was saved, and does not run on this testbed.`,
    );
  }
}

function emptyMetric(id: string): ReferenceMetric {
  const metric = findMetric(id);
  return { metric: id, label: metric?.label ?? id, unit: metric?.unit ?? '', values: [] };
}

/** What the file has of the same configuration: all levels that varied there are the same. */
function rowsOf(input: StudyInput, { metric, values }: ReferenceMetric): Row[] {
  return input.treatments.map((one) => ({
    one,
    there: values.find(({ levels }) =>
      Object.entries(levels).every(([id, level]) => (one.treatment.levels[id] ?? null) === level),
    ),
    here: measured(input, one, metric),
  }));
}

function tableOf(rows: readonly Row[], unit: string): DocumentTable {
  return makeTable(rows, [
    { head: 'Configuration', of: ({ one }) => one.treatment.shortLabel },
    {
      head: 'Where it was saved',
      unit,
      of: ({ there }) => (there ? intervalText({ value: there.mean, lo: there.lo, hi: there.hi }) : null),
    },
    { head: 'Runs there', of: ({ there }) => there?.runs ?? null },
    { head: 'Here', unit, of: ({ here }) => measuredCell(here) },
    { head: 'Runs here', of: ({ here }) => here?.runs ?? 0 },
    {
      head: 'Here / there',
      format: formatNumber,
      of: ({ there, here }) => (there && here && there.mean !== 0 ? here.value / there.mean : null),
    },
  ]);
}

/** How many intervals of both testbeds meet; arithmetic only. */
function coverage({ label, values }: ReferenceMetric, rows: readonly Row[]): string {
  const pairs = rows.flatMap(({ there, here }) => {
    if (!there || !here || there.lo === null || there.hi === null || here.lo === null || here.hi === null)
      return [];
    return [here.lo <= there.hi && there.lo <= here.hi];
  });
  if (pairs.length === 0) {
    return values.length === 0
      ? ''
      : `${label}: no configuration has an interval on both testbeds, so that nothing is said about agreement.`;
  }
  const agree = pairs.filter(Boolean).length;
  return `${label}: the 95 % intervals of both testbeds meet for ${agree} of ${pairs.length} ${pairs.length === 1 ? 'configuration' : 'configurations'}.`;
}
