import * as z from 'zod';

/** A TEXT column that holds JSON of this form. */
export function json<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('is not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** A BLOB column. */
export const blob = z.instanceof(Uint8Array);

/** INTEGER 0 or 1. */
export const flag = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1);

export const countSchema = z.object({ count: z.int() });
