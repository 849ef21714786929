import { findMetric } from '../../catalogue/metrics.ts';
import type { StudyReference } from '../../domain/plans/study-file.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import { formatNumber, NO_VALUE } from '../../format/number.ts';
import { intervalText } from '../document/words.ts';
import { figureWidth } from '../drawing/treatments.ts';
import { drawBeside } from './draw-beside.ts';
import { pairSentences } from './relative.ts';
import { measured, measuredCell, type StudyInput, type StudySection } from './study-input.ts';

type ReferenceMetric = StudyReference['metrics'][number];

/** A study that somebody saved: its figures from there beside those from here, metric by metric. */
export const ownResults: StudySection = (input, builder) => {
  const own = input.study.parts.find(({ id }) => id === input.origin.partId)?.own;
  const reference = own?.reference ?? null;
  const metrics = reference?.metrics.length ? reference.metrics : [emptyMetric(own?.response ?? '')];
  if (!reference) {
    builder.note(
      'It was saved before it had run: there are no figures of another testbed to set beside these.',
    );
  }
  for (const metric of metrics) {
    const table = tableOf(input, metric);
    builder.figure(
      reference ? `${metric.label}, where it was saved and here` : metric.label,
      'Diamonds: where the study was saved; filled: this testbed, with its 95 % interval over runs.',
      {
        picture: drawBeside({
          palette: input.palette,
          rows: input.treatments.map((one) => {
            const found = measured(input, one, metric.metric);
            const { mark, shortLabel: label } = one.treatment;
            const then = referenceOf(metric, one)?.mean;
            const tip = `${label}: ${found ? formatNumber(found.value) : NO_VALUE} ${metric.unit}`;
            return {
              label,
              published: then === undefined ? [] : [then],
              measured: found ? [{ mark, ...found, tip }] : [],
            };
          }),
          xLabel: metric.unit,
          width: figureWidth,
          label: `${metric.label} by configuration`,
        }),
        table,
      },
    );
    builder.table(`${metric.label} by configuration`, table);
  }
  builder.heading('Agreement and difference');
  for (const metric of metrics) builder.paragraph(coverage(input, metric));
  const [lead] = metrics;
  const [first, ...others] = input.treatments;
  if (lead && first) {
    builder.list(
      pairSentences(
        input,
        lead.metric,
        others.map((one) => [one, first] as const),
      ),
    );
  }
  for (const { label } of missing(input, metrics[0])) {
    builder.note(`Gap: ${label} was measured where the study was saved and is not there on this testbed.`);
  }
};

function emptyMetric(id: string): ReferenceMetric {
  const metric = findMetric(id);
  return { metric: id, label: metric?.label ?? id, unit: metric?.unit ?? '', values: [] };
}

/** What the file has of the same configuration: all levels that varied there are the same. */
function referenceOf({ values }: ReferenceMetric, { treatment }: ComparedTreatment) {
  return values.find(({ levels }) =>
    Object.entries(levels).every(([id, level]) => (treatment.levels[id] ?? null) === level),
  );
}

function missing({ treatments }: StudyInput, metric: ReferenceMetric | undefined) {
  if (!metric) return [];
  const there = new Set(treatments.map((one) => referenceOf(metric, one)));
  return metric.values.filter((value) => !there.has(value));
}

function tableOf(input: StudyInput, metric: ReferenceMetric) {
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Where it was saved', unit: metric.unit },
      { head: 'Runs there' },
      { head: 'Here', unit: metric.unit },
      { head: 'Runs here' },
      { head: 'Here / there', format: (value: number) => formatNumber(value) },
    ],
    rows: input.treatments.map((one) => {
      const [then, now] = [referenceOf(metric, one), measured(input, one, metric.metric)];
      return [
        one.treatment.shortLabel,
        then ? intervalText({ value: then.mean, lo: then.lo, hi: then.hi }) : null,
        then?.runs ?? null,
        measuredCell(now),
        now?.runs ?? 0,
        then && now && then.mean !== 0 ? now.value / then.mean : null,
      ];
    }),
  };
}

/** How many intervals of both testbeds meet; arithmetic only. */
function coverage(input: StudyInput, metric: ReferenceMetric): string {
  const pairs = input.treatments.flatMap((one) => {
    const [then, now] = [referenceOf(metric, one), measured(input, one, metric.metric)];
    if (!then || !now || then.lo === null || then.hi === null || now.lo === null || now.hi === null)
      return [];
    return [now.lo <= then.hi && then.lo <= now.hi];
  });
  if (pairs.length === 0) {
    return metric.values.length === 0
      ? ''
      : `${metric.label}: no configuration has an interval on both testbeds, so that nothing is said about agreement.`;
  }
  const agree = pairs.filter(Boolean).length;
  return `${metric.label}: the 95 % intervals of both testbeds meet for ${agree} of ${pairs.length} ${pairs.length === 1 ? 'configuration' : 'configurations'}.`;
}
