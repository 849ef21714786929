import type { DocumentBuilder } from '@mqttlab/charts/document/blocks';
import { makeTable } from '@mqttlab/charts/table';
import { formatExact } from '@mqttlab/shared/format/number';
import { findPublished, type PublishedValue, whyAlone } from '../published.ts';
import { findPart } from '../studies.ts';
import type { StudyInput } from './input.ts';

/**
 * Adds the published values for which we have no comparable value, grouped by reason. Comparable values are
 * in the figures and tables of the parts.
 */
export function addPublished(builder: DocumentBuilder, inputs: readonly StudyInput[]): void {
  const all = inputs.flatMap((input) =>
    publishedOf(input).map((value) => ({ part: input.origin.partId, value, reason: reasonOf(input, value) })),
  );
  const alone = all.filter(({ reason }) => reason !== null);
  if (alone.length === 0) return;
  builder.heading('Published values without a counterpart');
  builder.paragraph(
    'A published value is shown next to our value only if the quantity, the role and all stated conditions are the same.',
  );
  const reasons = [...Map.groupBy(alone, ({ reason }) => reason)];
  builder.list(
    reasons.map(
      ([reason, own], index) => `Reason ${index + 1}, for ${own.length} of ${all.length} values: ${reason}.`,
    ),
  );
  // Values of a quantity with the same reason share a row.
  const groups = Map.groupBy(alone, ({ part, value, reason }) =>
    [part, value.metric, value.unit, reason].join('|'),
  );
  const rows = [...groups.values()].flatMap((own) => (own[0] ? [{ ...own[0], own }] : []));
  builder.table(
    'Published values, with their lines in the full text in brackets',
    makeTable(rows, [
      ...(inputs.length > 1 ? [{ head: 'Part', of: ({ part }: (typeof rows)[number]) => part }] : []),
      { head: 'Quantity', of: ({ value: { metric, unit } }) => (unit ? `${metric}, ${unit}` : metric) },
      { head: 'Published', of: ({ own }) => own.map(({ value }) => textOf(value)).join('; ') },
      { head: 'Reason', of: ({ reason }) => reasons.findIndex(([one]) => one === reason) + 1 },
    ]),
  );
}

/** Formats a value with its line: "TLS QoS 0: 1.32 (166)". */
function textOf({ treatment, isAbove, value, line }: PublishedValue): string {
  return `${treatment}: ${isAbove ? 'above ' : ''}${formatExact(value)} (${line})`;
}

function publishedOf({ origin }: StudyInput): PublishedValue[] {
  const { tables = [], isShown = () => true } = findPart(origin)?.published ?? {};
  return tables
    .flatMap((table) => findPublished({ study: origin.studyId, table }))
    .filter(({ treatment }) => isShown(treatment));
}

/** Returns null if one of our configurations matches the value. */
function reasonOf({ treatments }: StudyInput, value: PublishedValue): string | null {
  const own = treatments.filter(({ treatment }) => value.holds?.(treatment) ?? true);
  const reasons = (own.length > 0 ? own : treatments).map(({ treatment }) => whyAlone(value, treatment));
  if (reasons.includes(null)) return null;
  // The closest configuration has the fewest differences.
  const [nearest = null] = reasons.toSorted((a, b) => (a ?? '').length - (b ?? '').length);
  return nearest;
}
