import type { JudgedThreshold } from '@mqttlab/shared/analysis/judge-thresholds';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { expect, it } from 'vitest';
import { outcomeCode } from './follow-experiment.ts';

const progress = { trials: 6, done: 6, failed: 0, cancelled: 0, flagged: 0, retried: 0, running: 0 };
type Outcomes = JudgedThreshold['outcome'][];

it.each([
  { now: {}, outcomes: [], code: [0, 0] },
  { now: {}, outcomes: ['held'], code: [0, 0] },
  { now: {}, outcomes: ['held', 'not resolved'], code: [0, 99] },
  { now: {}, outcomes: ['held', 'broken'], code: [99, 99] },
  { now: {}, outcomes: ['not measured'], code: [99, 99] },
  { now: { flagged: 1 }, outcomes: ['held'], code: [0, 1] },
  { now: { failed: 1, done: 5 }, outcomes: ['broken'], code: [1, 1] },
  { now: { failed: 1, done: 5 }, outcomes: ['held'], code: [1, 1] },
])('exit codes without and with --strict: %j', ({ now, outcomes, code }) => {
  const experiment = { status: 'done', progress: { ...progress, ...now } } as ExperimentDetail;
  const thresholds = (outcomes as Outcomes).map((outcome) => ({ outcome }));
  expect([false, true].map((strict) => outcomeCode(experiment, thresholds, strict))).toEqual(code);
});
