import type { JudgedThreshold } from '@mqttlab/shared/analysis/judge-thresholds';
import { expect, it } from 'vitest';
import { outcomeCode, pauseAfter, runLines } from './follow-experiment.ts';

/** A done run that failed one verdict. */
function makeRunSummary(verdict: string) {
  const verdicts = [{ id: verdict, label: verdict, status: 'failed', evidence: '' }];
  return { id: 1, trialNumber: 1, attempt: 1, status: 'done', flagged: true, verdicts };
}

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
  const runs = now.flagged ? [makeRunSummary('device-idle')] : [];
  const experiment = { status: 'done', progress: { ...progress, ...now }, plan: null, runs };
  const thresholds = (outcomes as Outcomes).map((outcome) => ({ outcome }));
  expect([false, true].map((strict) => outcomeCode(experiment as never, thresholds, strict))).toEqual(code);
});

it.each([
  // Other programs change latency, but not the bytes of a message.
  ['wire.perMessage', 0],
  ['latency.p50', 1],
])('with --strict a busy device fails a threshold of %s with %i', (metric, code) => {
  const runs = [makeRunSummary('device-idle')];
  const plan = { thresholds: [{ metric, atMost: 1, of: 'value' }] };
  const experiment = { status: 'done', progress: { ...progress, flagged: 1 }, plan, runs };
  expect(outcomeCode(experiment as never, [{ outcome: 'held' }], true)).toBe(code);
});

it('reads an experiment with many runs less often', () => {
  // The time of a request for a few runs, for some thousands, and on a busy server.
  expect([4, 250, 3_000].map(pauseAfter)).toEqual([500, 5_000, 10_000]);
});

it('names the faults of a flagged run', () => {
  const run = {
    id: 1,
    trialNumber: 2,
    treatmentKey: 'tls',
    block: 1,
    attempt: 1,
    status: 'done',
    finishedAt: 5,
  };
  const verdicts = [
    { id: 'kept-schedule', label: 'Kept its schedule', status: 'failed', evidence: '' },
    { id: 'device-idle', label: 'Idle', status: 'failed', evidence: '' },
  ];
  const runs = [
    { ...run, flagged: true, verdicts },
    { ...run, id: 2, flagged: false, verdicts: [] },
  ];
  const plan = { treatments: [{ key: 'tls', shortLabel: 'TLS 1.3' }] };
  const lines = runLines({ runs, plan, progress: { ...progress, trials: 6 } } as never);
  expect(lines.map(({ line }) => line)).toEqual([
    'run 2 of 6, TLS 1.3, repetition 1: done, flagged: generator fell behind schedule; other programs used the CPU',
    'run 2 of 6, TLS 1.3, repetition 1: done',
  ]);
});
