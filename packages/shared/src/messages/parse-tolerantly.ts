import type * as z from 'zod';

/** Parses a response from another version of mqttlab; removes fields that are not in the schema. */
export function parseTolerantly<Output>(
  schema: z.ZodType<Output>,
  input: unknown,
): z.ZodSafeParseResult<Output> {
  const strict = schema.safeParse(input);
  if (strict.success) return strict;
  const unknown = unknownKeysOf(strict.error.issues);
  if (unknown === null) return strict;
  const known = structuredClone(input);
  for (const { path, key } of unknown) {
    const parent = path.reduce<unknown>((value, step) => Reflect.get(Object(value), step), known);
    Reflect.deleteProperty(Object(parent), key);
  }
  return schema.safeParse(known);
}

interface UnknownKey {
  path: readonly PropertyKey[];
  key: string;
}

/** Returns null if there are errors other than unknown keys. */
function unknownKeysOf(issues: readonly z.core.$ZodIssue[]): UnknownKey[] | null {
  const unknown: UnknownKey[] = [];
  for (const issue of issues) {
    const { path } = issue;
    if (issue.code === 'unrecognized_keys') unknown.push(...issue.keys.map((key) => ({ path, key })));
    else if (issue.code === 'invalid_union') {
      const fitting = issue.errors.map(unknownKeysOf).find((keys) => keys !== null && keys.length > 0);
      if (!fitting) return null;
      unknown.push(...fitting.map((inner) => ({ path: [...path, ...inner.path], key: inner.key })));
    } else return null;
  }
  return unknown;
}
