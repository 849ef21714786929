import { issuesOf } from '@mqttlab/shared/domain/issue';
import * as z from 'zod';
import { ProblemError, unprocessable } from '../base/errors.ts';
import { makeRouteFactory } from './route.ts';

/** A whole number of at least 1 in a path or query. */
export const idParam = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, 'needs a whole number from 1 on')
  .transform(Number)
  .meta({ override: { type: 'integer', minimum: 1 } });

/** Typed value, or a problem that names every field: 400 for path and query, 422 for the body. */
function parseInput<T extends z.ZodType>(
  schema: T,
  value: unknown,
  where: 'path' | 'query' | 'body',
): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error);
  if (where === 'body') throw unprocessable('The request body cannot be taken.', issues);
  const [first] = issues;
  throw new ProblemError({
    status: 400,
    detail: `The ${where} of this address is wrong. ${first?.field ?? ''}: ${first?.reason ?? ''}.`,
    remedy: first?.remedy ?? 'Correct the address.',
    issues,
  });
}

/** Declares one entry of the route table. */
export const route = makeRouteFactory(parseInput);
