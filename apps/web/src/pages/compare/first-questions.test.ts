import { afterEach, expect, it, vi } from 'vitest';
import { keyOf } from '../../api/client.ts';
import { parseCompareState } from './compare-state.ts';
import { askComparison, comparisonQuestion, seriesQuestion } from './first-questions.ts';

afterEach(() => vi.unstubAllGlobals());

it.each([
  'experiments=1,2',
  'runs=4,5&flagged=1',
  'experiments=3&role=broker&series=cpu.process&unit=baseline',
  'experiments=3&role=somebody&series=',
])('asks ahead for %s what the page then looks for', (search) => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    asked.push(path);
    return new Promise<Response>(() => {});
  });
  const keys = askComparison(new URLSearchParams(search)).map(({ queryKey }) => queryKey);
  const state = parseCompareState(search);
  expect(keys).toEqual([
    keyOf('GET /compare', { query: comparisonQuestion(state) }),
    keyOf('GET /compare/series', { query: seriesQuestion(state) }),
  ]);
  expect(asked).toHaveLength(2);
});

it('sends no requests without a comparison', () => {
  expect(askComparison(new URLSearchParams('experiments=x'))).toEqual([]);
});
