import { findPublished, type PublishedValue, whyAlone } from '../../catalogue/studies/published.ts';
import { remarksOn } from '../../catalogue/studies/remarks.ts';
import { formatCount } from '../../format/number.ts';
import type { DocumentBuilder } from '../document/blocks.ts';
import { makeTable } from './render/measured.ts';
import type { StudyInput } from './study-input.ts';

/** Every published value of a part with its condition and line, and whether it stands beside one of ours. */
export function addPublished(builder: DocumentBuilder, input: StudyInput, tables: readonly string[]): void {
  const study = input.origin.studyId;
  const values = tables.flatMap((table) => findPublished({ study, table }));
  if (values.length === 0) return;
  builder.heading('Published values and where they stand');
  builder.paragraph(
    'A published value stands beside ours only where quantity, role and all that the text says of its conditions are the same; elsewhere it stands alone, with the reason. Lines are those of the full text.',
  );
  builder.list([...Map.groupBy(values, ({ place }) => place).values()].map(aboutPlace));
  builder.table(
    'Published values, their lines, and what stands beside them',
    makeTable(values, [
      { head: 'Quantity', of: ({ metric }) => metric },
      { head: 'Configuration', of: ({ treatment }) => treatment },
      {
        head: 'Published',
        isFigures: true,
        of: ({ isAbove, value }) => `${isAbove ? 'above ' : ''}${asPrinted(value)}`,
      },
      { head: 'Unit', of: ({ unit }) => unit },
      { head: 'Line', of: ({ line }) => String(line) },
      { head: 'Beside ours', of: (value) => standingOf(input, value) },
    ]),
  );
}

/** Of one table: what its figures have in common, and what only some of them have. */
function aboutPlace(values: readonly PublishedValue[]): string {
  const [first] = values;
  const said = [...new Set(values.flatMap(({ conditions }) => conditions))].map((condition) => {
    const own = values.filter(({ conditions }) => conditions.includes(condition));
    const metrics = [...new Set(own.map(({ metric }) => metric))].join(', ');
    const where = own.length === values.length ? '' : ` of ${metrics}`;
    return `${condition.text}${where} (line ${condition.line})`;
  });
  return `${first?.place}. Of: ${first?.role}. Conditions: ${said.join('; ')}.`;
}

/** All its digits, none added. */
function asPrinted(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : String(value);
}

function standingOf({ treatments }: StudyInput, value: PublishedValue): string {
  const own = treatments.filter(({ treatment }) => value.holds?.(treatment) ?? true);
  const reasons = (own.length > 0 ? own : treatments).map(({ treatment }) => whyAlone(value, treatment));
  if (reasons.includes(null)) return 'yes';
  // That which comes nearest differs in least.
  const [nearest] = reasons.toSorted((a, b) => (a ?? '').length - (b ?? '').length);
  return `no: ${nearest}`;
}

/** What the text leaves open, and what was done otherwise here. */
export function addRemarks(builder: DocumentBuilder, { origin }: StudyInput): void {
  const remarks = remarksOn(origin.studyId, origin.partId);
  if (remarks === null) return;
  builder.heading('What the text does not say');
  builder.list(remarks.unsaid);
  builder.heading('What we did differently');
  builder.list(remarks.different);
}
