import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metrics } from './metrics.ts';
import { makeMetricsReference, resolutionWords, writeMetricsReference } from './metrics-reference.ts';

test('every metric has a definition, a source and its known bias', () => {
  for (const { id, help, source, bias } of metrics) {
    for (const text of [help, source, ...(bias === null ? [] : [bias])]) {
      expect(text, id).toMatch(/^[A-Za-z/].{10,}\.$/);
      expect(text, id).not.toMatch(/undefined|null|\s{2}/);
    }
  }
});

test('the reference holds every metric once', () => {
  const told = makeMetricsReference().flatMap(({ entries }) =>
    entries.flatMap((entry) => entry.metrics.map(({ id }) => id)),
  );
  expect(told.toSorted()).toEqual(metrics.map(({ id }) => id).toSorted());
});

test('the smallest step of a count is one of its unit', () => {
  const wordsOf = (unit: string, step: number) => resolutionWords({ resolution: { step }, unit });
  expect([wordsOf('messages', 1), wordsOf('messages', 2), wordsOf('ms', 1)]).toEqual([
    '1 message',
    '2 messages',
    '1 ms',
  ]);
});

test('docs/reference/metrics.md matches the catalogue: update it with "npm run reference"', () => {
  const path = new URL('../../../../docs/reference/metrics.md', import.meta.url);
  expect(readFileSync(path, 'utf8')).toBe(writeMetricsReference());
});
