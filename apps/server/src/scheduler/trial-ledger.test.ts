import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { RunStatus } from '@mqttlab/shared/domain/runs/statuses';
import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import { TrialLedger } from './trial-ledger.ts';

/** Two blocks of three trials. */
const trials = [1, 2, 3, 4, 5, 6].map((number) => ({
  number,
  block: number <= 3 ? 1 : 2,
  treatmentKey: `t${((number - 1) % 3) + 1}`,
}));

function makeRun(id: number, trialNumber: number, change: Partial<RunSummary> = {}): RunSummary {
  return {
    id,
    experimentId: 1,
    trialNumber,
    block: trialNumber <= 3 ? 1 : 2,
    treatmentKey: 't1',
    attempt: 1,
    retryOf: null,
    status: 'done',
    startedAt: 1,
    finishedAt: 2,
    flagged: false,
    failure: null,
    verdicts: [],
    metrics: {},
    notes: '',
    tags: [],
    exclusion: null,
    ...change,
  };
}

/** Plays a plan: `outcome` returns the result of each attempt. Returns trial and attempt of every run in order. */
function play(retries: number, outcome: (trialNumber: number, attempt: number) => RunStatus) {
  const ledger = new TrialLedger({ trials, retries }, []);
  const played: { trial: number; attempt: number; block: number; retryOf: number | null }[] = [];
  for (let next = ledger.next(); next !== null && played.length < 100; next = ledger.next()) {
    const { trial, attempt, retryOf } = next;
    played.push({ trial: trial.number, attempt, block: trial.block, retryOf });
    const status = outcome(trial.number, attempt);
    ledger.note(makeRun(played.length, trial.number, { attempt, retryOf, status }));
  }
  return { played, ledger };
}

describe('TrialLedger', () => {
  it('returns every trial once, in order', () => {
    const { played } = play(2, () => 'done');
    expect(played.map(({ trial }) => trial)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(played.every(({ attempt, retryOf }) => attempt === 1 && retryOf === null)).toBe(true);
  });

  it('puts retries at the end of their block, linked to the run before', () => {
    const { played } = play(1, (trial, attempt) =>
      attempt === 1 && (trial === 1 || trial === 2) ? 'failed' : 'done',
    );
    expect(played.map(({ trial, attempt, retryOf }) => [trial, attempt, retryOf])).toEqual([
      [1, 1, null],
      [2, 1, null],
      [3, 1, null],
      [1, 2, 1],
      [2, 2, 2],
      [4, 1, null],
      [5, 1, null],
      [6, 1, null],
    ]);
  });

  it('stops after the retries of the plan, and never retries a cancelled trial', () => {
    const { played, ledger } = play(2, (trial) =>
      trial === 2 ? 'failed' : trial === 5 ? 'cancelled' : 'done',
    );
    expect(played.filter(({ trial }) => trial === 2)).toHaveLength(3);
    expect(played.filter(({ trial }) => trial === 5)).toHaveLength(1);
    expect(ledger.again('failed').map(({ trial, attempt }) => [trial.number, attempt])).toEqual([
      [2, 4],
      [5, 2],
    ]);
  });

  it('runs an interrupted trial again without counting it as a failure', () => {
    const { played } = play(0, (trial, attempt) => (trial === 1 && attempt < 4 ? 'interrupted' : 'done'));
    expect(played.filter(({ trial }) => trial === 1).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });

  it('returns a run that is already planned', () => {
    const planned = makeRun(9, 2, { attempt: 2, retryOf: 2, status: 'planned' });
    const done = trials.map(({ number }) =>
      makeRun(number, number, number === 2 ? { status: 'failed' } : {}),
    );
    const ledger = new TrialLedger({ trials, retries: 0 }, [...done, planned]);
    expect(ledger.next()).toMatchObject({ trial: { number: 2 }, attempt: 2, retryOf: 2, planned: { id: 9 } });
    expect(ledger.again('failed')).toEqual([]);
  });

  it('repeats a flagged trial on request, until an attempt is completed', () => {
    const done = trials.map(({ number }) => makeRun(number, number, { flagged: number === 2 }));
    const ledger = new TrialLedger({ trials, retries: 1 }, done);
    expect(ledger.next()).toBeNull();
    expect(ledger.again('failed')).toEqual([]);
    const [again, ...others] = ledger.again('flagged');
    expect(again).toMatchObject({ trial: { number: 2 }, attempt: 2, retryOf: 2 });
    expect(others).toEqual([]);
    const second = makeRun(8, 2, { attempt: 2, retryOf: 2, status: 'planned' });
    ledger.note(second);
    expect(ledger.next()).toMatchObject({ attempt: 2, planned: { id: 8 } });
    expect(ledger.again('flagged')).toEqual([]);
    for (const status of ['interrupted', 'failed'] as const) {
      ledger.note({ ...second, status });
      expect(ledger.next()).toMatchObject({ attempt: 3, retryOf: 8 });
    }
    ledger.note({ ...second, status: 'cancelled' });
    expect(ledger.next()).toBeNull();
    expect(ledger.again('failed')).toEqual([]);
    ledger.note({ ...second, status: 'done', flagged: true });
    expect(ledger.next()).toBeNull();
    expect(ledger.again('flagged')).toMatchObject([{ attempt: 3, retryOf: 8 }]);
    ledger.note(makeRun(9, 2, { attempt: 3 }));
    expect(ledger.again('flagged')).toEqual([]);
  });

  it('no longer returns a trial whose run was corrected', () => {
    const done = trials.slice(1).map(({ number }) => makeRun(number, number));
    const ledger = new TrialLedger({ trials, retries: 1 }, [makeRun(1, 1, { status: 'failed' }), ...done]);
    expect(ledger.next()?.attempt).toBe(2);
    ledger.note(makeRun(1, 1, { status: 'done' }));
    expect(ledger.next()).toBeNull();
  });

  it('ends, despite failures, with every trial done or out of retries, block after block', () => {
    const outcomes = fc.array(fc.constantFrom<RunStatus>('done', 'failed', 'cancelled'), { minLength: 24 });
    fc.assert(
      fc.property(outcomes, fc.integer({ min: 0, max: 3 }), (scripted, retries) => {
        const { played, ledger } = play(
          retries,
          (trial, attempt) => scripted[(trial - 1) * 4 + attempt - 1] ?? 'done',
        );
        const tries = new Map(played.map(({ trial, attempt }) => [trial, attempt]));
        const blocks = played.map(({ block }) => block);
        return (
          ledger.next() === null &&
          tries.size === trials.length &&
          [...tries.values()].every((attempt) => attempt <= retries + 1) &&
          blocks.every((block, i) => block >= (blocks[i - 1] ?? 0))
        );
      }),
    );
  });
});
