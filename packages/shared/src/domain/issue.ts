import * as z from 'zod';

/** An error in an input: its location, its reason, and how to fix it. */
export const issueSchema = z.strictObject({
  /** Path into the document, for example "factors.rate[1]". */
  field: z.string(),
  reason: z.string(),
  remedy: z.string(),
});

export type Issue = z.infer<typeof issueSchema>;

/** Formats an issue: "repetitions: is too few. Choose more." */
export function describeIssue({ field, reason, remedy }: Issue): string {
  return `${field}: ${reason}${/[.?!]$/.test(reason) ? '' : '.'} ${remedy}`;
}

/** Converts zod errors to issues. */
export function issuesOf(error: z.ZodError, prefix = ''): Issue[] {
  return error.issues.map((issue) => ({
    field: fieldOf([...(prefix ? [prefix] : []), ...issue.path]),
    reason: reasonOf(issue),
    remedy:
      issue.code === 'unrecognized_keys'
        ? `Remove ${issue.keys.join(', ')}.`
        : 'Correct this field and send the request again.',
  }));
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return 'is missing';
  // For a choice between literals, zod only reports "Invalid input".
  const choices = issue.code === 'invalid_union' ? issue.errors.flat() : [];
  const values = choices.flatMap((choice) => (choice.code === 'invalid_value' ? choice.values : []));
  const isChoice = values.length > 0 && choices.every(({ code }) => code === 'invalid_value');
  return isChoice ? `must be one of ${values.map(String).join(', ')}` : issue.message;
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}
