import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { issuesOf } from './issue.ts';

function issueOf(schema: z.ZodType, value: unknown) {
  const parsed = schema.safeParse(value);
  if (parsed.success) throw new Error('it was taken');
  return issuesOf(parsed.error)[0];
}

describe('issues of an input', () => {
  it('name the values that a field may have', () => {
    const schema = z.object({ sampleHz: z.union([z.literal(1), z.literal(10)]) });
    expect(issueOf(schema, { sampleHz: 2 })).toMatchObject({
      field: 'sampleHz',
      reason: 'must be one of 1, 10',
    });
  });

  it('name missing fields and unknown keys', () => {
    const schema = z.strictObject({ a: z.object({ b: z.array(z.number()) }) });
    expect(issueOf(schema, {})).toMatchObject({ field: 'a', reason: 'is missing' });
    expect(issueOf(schema, { a: { b: [1, 'x'] } })).toMatchObject({ field: 'a.b[1]' });
    expect(issueOf(schema, { a: { b: [] }, c: 1 })).toMatchObject({ remedy: 'Remove c.' });
  });
});
