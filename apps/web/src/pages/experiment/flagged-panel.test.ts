import type { Verdict } from '@mqttlab/shared/domain/runs/verdict';
import { describe, expect, it } from 'vitest';
import { makeRunSummary } from '../../live/testing/live-factories.ts';
import { causesInLine, rollUpVerdicts } from './flagged-panel.tsx';

const verdict = (id: string, status: Verdict['status']): Verdict => ({
  id,
  label: id,
  status,
  evidence: `${id} ${status}`,
});
const run = (id: number, failed: string[], change: Parameters<typeof makeRunSummary>[0] = {}) =>
  makeRunSummary({
    id,
    trialNumber: id,
    status: 'done',
    flagged: failed.length > 0,
    verdicts: [verdict('fine', 'passed'), ...failed.map((name) => verdict(name, 'failed'))],
    ...change,
  });

describe('rollUpVerdicts', () => {
  it('counts runs by failed verdict, the most frequent first', () => {
    const rollup = rollUpVerdicts([run(1, ['late']), run(2, []), run(3, ['lost', 'late'])], true);
    expect(rollup).toMatchObject({ flagged: 2, judged: 3 });
    expect(rollup.verdicts.map(({ id, runs }) => [id, runs.map(({ runId }) => runId)])).toEqual([
      ['late', [1, 3]],
      ['lost', [3]],
    ]);
    expect(rollup.verdicts[0]?.runs[0]?.evidence).toBe('late failed');
  });

  it('keeps its rows in place while the experiment runs', () => {
    const early = [run(1, ['late'])];
    const later = [...early, run(2, ['lost']), run(3, ['lost'])];
    const idsOf = (runs: typeof later, isOver: boolean) =>
      rollUpVerdicts(runs, isOver).verdicts.map(({ id }) => id);
    expect(idsOf(later, false).slice(0, 1)).toEqual(idsOf(early, false));
    expect(idsOf(later, true)).toEqual(['lost', 'late']);
  });

  it('looks at the last attempt of a trial, and at finished runs only', () => {
    const rollup = rollUpVerdicts(
      [run(1, ['late']), run(4, [], { trialNumber: 1, attempt: 2 }), run(5, ['late'], { status: 'running' })],
      true,
    );
    expect(rollup).toEqual({ flagged: 0, judged: 1, verdicts: [] });
  });
});

it('names the causes in a line, the most frequent first, and counts those without room', () => {
  const cause = (name: string, count: number) => ({
    name,
    runs: Array.from({ length: count }, (_, runId) => ({ runId, trialNumber: runId, evidence: '' })),
  });
  expect(causesInLine([cause('Clock uncertain', 2), cause('Messages lost', 14)])).toBe(
    'Messages lost 14 · Clock uncertain 2',
  );
  const long = 'Generator fell behind its schedule';
  expect(
    causesInLine([cause(long, 9), cause('Other programs used the CPU', 8), cause('Messages lost', 1)]),
  ).toBe(`${long} 9 · 2 more`);
  expect(causesInLine([])).toBe('');
});
