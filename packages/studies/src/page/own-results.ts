import { addBlocks } from '@mqttlab/charts/blocks/draw';
import { measured } from '@mqttlab/charts/blocks/measured';
import type { DocumentBuilder } from '@mqttlab/charts/document/blocks';
import { contrastTreatments } from '@mqttlab/shared/analysis/contrasts';
import { contrastSentence } from '@mqttlab/shared/analysis/findings';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { StudyReference } from '@mqttlab/shared/domain/plans/study-file';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { StudyInput } from './input.ts';

type ReferenceMetric = StudyReference['metrics'][number];

/** Returns the original value for the same configuration, in which all varied levels match. */
function savedOf({ values }: ReferenceMetric, { treatment }: ComparedTreatment) {
  return values.find(({ levels }) =>
    Object.entries(levels).every(([id, level]) => (treatment.levels[id] ?? null) === level),
  );
}

/** Adds the saved results of a user's study next to the new results, by metric. */
export function addOwnResults(input: StudyInput, builder: DocumentBuilder): void {
  const own = input.study.parts.find(({ id }) => id === input.origin.partId)?.own;
  const response = own?.response ?? '';
  const metrics = own?.reference?.metrics.length ? own.reference.metrics : [emptyMetric(response)];
  if (!own?.reference) {
    builder.note('The study was saved without runs, so there are no original results to compare with.');
  }
  for (const metric of metrics) {
    const title = own?.reference ? `${metric.label}, original and here` : metric.label;
    addBlocks(
      { ...input, printed: (one) => savedOf(metric, one)?.mean ?? null },
      [
        {
          kind: 'dots',
          title,
          caption: 'Diamonds: original results. Filled: this testbed, with its 95 % interval over runs.',
          quantities: [{ head: metric.label, measure: metric.metric, unit: metric.unit, published: 'saved' }],
          names: [...new Set(input.treatments.flatMap(({ treatment }) => Object.keys(treatment.levels)))],
        },
      ],
      builder,
    );
  }
  builder.heading('Agreement and difference');
  for (const metric of metrics) builder.paragraph(coverage(input, metric));
  const metric = findMetric(metrics[0]?.metric ?? '');
  const [first, ...others] = input.treatments;
  if (!metric || !first) return;
  const pairs = others.map((one) => [one, first] as const);
  const { treatments, flagged } = input;
  const contrasts = contrastTreatments({ treatments, metric, flagged, pairs, baselineId: '' });
  builder.list(contrasts.map((contrast) => contrastSentence(contrast, metric)));
  const here = new Set(treatments.map((one) => metrics[0] && savedOf(metrics[0], one)));
  for (const value of (metrics[0]?.values ?? []).filter((one) => !here.has(one))) {
    builder.note(`Gap: ${value.label} was measured originally, but cannot run on this testbed.`);
  }
}

function emptyMetric(id: string): ReferenceMetric {
  const metric = findMetric(id);
  return { metric: id, label: metric?.label ?? id, unit: metric?.unit ?? '', values: [] };
}

/** Counts the configurations whose intervals on both testbeds overlap. */
function coverage(input: StudyInput, metric: ReferenceMetric): string {
  const pairs = input.treatments.flatMap((one) => {
    const [there, here] = [savedOf(metric, one), measured(input, one, metric.metric)];
    if (!there || !here || there.lo === null || there.hi === null || here.lo === null || here.hi === null)
      return [];
    return [here.lo <= there.hi && there.lo <= here.hi];
  });
  if (pairs.length === 0) {
    if (metric.values.length === 0) return '';
    return `${metric.label}: no configuration has an interval on both testbeds, so agreement is not judged.`;
  }
  const configurations = pairs.length === 1 ? 'configuration' : 'configurations';
  return `${metric.label}: the 95 % intervals of both testbeds overlap for ${pairs.filter(Boolean).length} of ${pairs.length} ${configurations}.`;
}
