import { expect, test } from 'vitest';
import { countingAttempt, countingAttempts } from './run.ts';
import type { RunStatus } from './statuses.ts';

type Outcome = RunStatus | 'flagged';

const attempts = (...outcomes: Outcome[]) =>
  outcomes.map((outcome, index) => ({
    trialNumber: 1,
    attempt: index + 1,
    status: outcome === 'flagged' ? ('done' as const) : outcome,
    flagged: outcome === 'flagged',
  }));

test.each([
  [[], undefined],
  [['planned'], 1],
  [['done'], 1],
  [['failed', 'done'], 2],
  [['done', 'failed'], 1],
  [['done', 'running'], 1],
  [['done', 'done', 'cancelled'], 1],
  [['flagged', 'done'], 2],
  [['done', 'flagged'], 1],
  [['flagged', 'flagged'], 1],
  [['flagged', 'flagged', 'done', 'done'], 3],
  [['flagged', 'failed'], 1],
  [['flagged', 'planned'], 1],
  [['failed', 'flagged'], 2],
  [['interrupted', 'failed'], 2],
  [['failed', 'planned'], 2],
] as [Outcome[], number | undefined][])('of %j counts attempt %s', (statuses, expected) => {
  const all = attempts(...statuses);
  expect(countingAttempt(all)?.attempt).toBe(expected);
  expect(countingAttempt(all.toReversed())?.attempt).toBe(expected);
});

test('every trial counts once, in the order in which trials are met', () => {
  const second = attempts('done').map((run) => ({ ...run, trialNumber: 2 }));
  const counting = countingAttempts([...second, ...attempts('done', 'failed')]);
  expect(counting.map(({ trialNumber, attempt }) => [trialNumber, attempt])).toEqual([
    [2, 1],
    [1, 1],
  ]);
});
