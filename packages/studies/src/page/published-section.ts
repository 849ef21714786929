import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { formatCount } from '@mqttlab/shared/format/number';
import { findPublished, type PublishedValue, whyAlone } from '../published.ts';
import type { StudyInput } from './input.ts';
import type { PartPage } from './page.ts';

/**
 * Published values of a part that are next to none of ours, with the reason; a reason that several values share is given
 * once. Those that are next to ours are in the figures and tables above.
 */
export function addPublished(
  builder: DocumentBuilder,
  input: StudyInput,
  { tables, isShown = () => true }: NonNullable<PartPage['published']>,
): void {
  const study = input.origin.studyId;
  const values = tables
    .flatMap((table) => findPublished({ study, table }))
    .filter(({ treatment }) => isShown(treatment));
  const alone = values.flatMap((value) => {
    const reason = reasonOf(input, value);
    return reason === null ? [] : [{ value, reason }];
  });
  if (alone.length === 0) return;
  builder.heading('Published values that stand alone');
  builder.paragraph(
    'A published value is shown next to ours only if quantity, role and all that the text says of its conditions are the same.',
  );
  const reasons = [...Map.groupBy(alone, ({ reason }) => reason)];
  const numberOf = new Map(reasons.map(([reason], index) => [reason, index + 1]));
  builder.list(
    reasons.map(
      ([reason, own], index) =>
        `Reason ${index + 1}, for ${own.length} of ${values.length} values: ${reason}.`,
    ),
  );
  builder.table(
    'Published values, with their lines in the full text',
    makeTable(alone, [
      { head: 'Quantity', of: ({ value }) => value.metric },
      { head: 'Configuration', of: ({ value }) => value.treatment },
      { head: 'Published', isFigures: true, of: ({ value }) => asPrinted(value) },
      { head: 'Unit', of: ({ value }) => value.unit },
      { head: 'Line', of: ({ value }) => String(value.line) },
      { head: 'Reason', of: ({ reason }) => numberOf.get(reason) ?? null },
    ]),
  );
}

/** All its digits, none added. */
function asPrinted({ isAbove, value }: PublishedValue): string {
  return `${isAbove ? 'above ' : ''}${Number.isInteger(value) ? formatCount(value) : String(value)}`;
}

/** null if one of our configurations is that of the value. */
function reasonOf({ treatments }: StudyInput, value: PublishedValue): string | null {
  const own = treatments.filter(({ treatment }) => value.holds?.(treatment) ?? true);
  const candidates = own.length > 0 ? own : treatments;
  const reasons = candidates.map(({ treatment }) => whyAlone(value, treatment));
  if (reasons.includes(null)) return null;
  // The closest one differs in least.
  const [nearest = null] = reasons.toSorted((a, b) => (a ?? '').length - (b ?? '').length);
  return nearest;
}
