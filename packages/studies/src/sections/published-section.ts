import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { formatCount } from '@mqttlab/shared/format/number';
import { findPublished, type PublishedValue, whyAlone } from '../published.ts';
import { remarksOn } from '../remarks.ts';
import { measured } from './measured.ts';
import type { StudyInput } from './study-input.ts';

export interface PublishedChoice {
  /** Published tables that belong to the part. */
  published?: readonly string[];
  /** Which of their values do; all if absent. */
  isShown?: (value: PublishedValue) => boolean;
}

/**
 * Every published value of a part with its condition and line, and whether it is shown next to one of ours. A reason
 * that all values share is given once, above the table.
 */
export function addPublished(
  builder: DocumentBuilder,
  input: StudyInput,
  { published: tables = [], isShown = () => true }: PublishedChoice,
): void {
  const study = input.origin.studyId;
  const values = tables.flatMap((table) => findPublished({ study, table })).filter(isShown);
  if (values.length === 0) return;
  const standings = new Map(values.map((value) => [value, standingOf(input, value)]));
  const [first, ...others] = new Set(standings.values());
  const shared = values.length > 1 && others.length === 0 ? first : undefined;
  builder.heading('Published values and where they stand');
  builder.paragraph(
    'A published value stands beside ours only where quantity, role and all that the text says of its conditions are the same; elsewhere it stands alone, with the reason. Lines are those of the full text.',
  );
  if (shared !== undefined) {
    builder.paragraph(
      shared === shownBeside
        ? 'Every value below is shown next to ours.'
        : `None of the values below is shown next to ours: ${shared.slice('no: '.length)}.`,
    );
  }
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
      ...(shared === undefined
        ? [{ head: 'Beside ours', of: (value: PublishedValue) => standings.get(value) ?? null }]
        : []),
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

const shownBeside = 'yes';

function standingOf(input: StudyInput, value: PublishedValue): string {
  const { treatments } = input;
  const own = treatments.filter(({ treatment }) => value.holds?.(treatment) ?? true);
  const candidates = own.length > 0 ? own : treatments;
  const reasons = candidates.map(({ treatment }) => whyAlone(value, treatment));
  const { measuredBy } = value;
  const alike = candidates.filter((_, index) => reasons[index] === null);
  if (alike.length > 0) {
    const hasValue = measuredBy === null || alike.some((one) => measured(input, one, measuredBy) !== null);
    return hasValue ? shownBeside : 'no: no run that counts has a value here';
  }
  // The closest one differs in least.
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
