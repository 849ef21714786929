import { describe, expect, it } from 'vitest';
import { parsePlan } from '../planning/parse-plan.ts';
import { meanInterval } from '../statistics/estimates/interval.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { makeNoise, makeReportInput } from '../testing/report-input.ts';
import { judgeStopping } from './judge-stopping.ts';

const stopping = { metric: 'latency.p50', targetPercent: 5, atLeast: 5 };

function inputOf(spread: number, flagged = false) {
  const noise = makeNoise(7);
  return makeReportInput(
    (treatment) => ({
      metrics: { 'latency.p50': 10 + treatment + spread * noise() },
      change: { flagged: flagged && treatment === 1 },
    }),
    { repetitions: 12, stopping },
  );
}

describe('judgeStopping', () => {
  it('stops at the repetition at which every treatment is narrow enough at the level that covers 95 % after stopping', () => {
    const { plan, runs } = inputOf(2);
    const narrow = (blocks: number) =>
      plan.treatments.every(({ key }) => {
        const logs = runs
          .filter(({ treatmentKey, block }) => treatmentKey === key && block <= blocks)
          .map((run) => Math.log(run.metrics['latency.p50'] ?? Number.NaN));
        const { mean, lo } = meanInterval(logs, 0.97);
        return mean !== null && lo !== null && Math.exp(mean - lo) - 1 <= 0.05;
      });
    const judged = Array.from({ length: 12 }, (_, i) => judgeStopping(plan, runs, i + 1)!);
    for (const { blocks, isEnough } of judged)
      expect(isEnough, `block ${blocks}`).toBe(blocks >= 5 && narrow(blocks));
    expect(judged.some(({ isEnough }) => isEnough)).toBe(true);
    expect(judged[2]?.sentence).toMatch(/After 3 of at most 12 repetitions: .+ the experiment continues\./);
    expect(judged.find(({ isEnough }) => isEnough)?.sentence).toContain(
      'narrow enough, so the experiment stops',
    );
  });

  it('continues to the maximum if the target is not reached, with a note', () => {
    const { plan, runs } = inputOf(40);
    expect(judgeStopping(plan, runs, 5)?.isEnough).toBe(false);
    expect(judgeStopping(plan, runs, 12)?.sentence).toContain(
      'not reached, but the maximum number of repetitions has been reached',
    );
  });

  it('is not fooled by flagged runs: a treatment without valid runs has no interval', () => {
    const { plan, runs } = inputOf(0.1, true);
    expect(judgeStopping(plan, runs, 8)).toMatchObject({ isEnough: false, widest: null });
  });

  it('is silent without a rule', () => {
    const { plan, runs } = inputOf(1);
    expect(judgeStopping({ ...plan, stopping: null }, runs, 5)).toBeNull();
  });
});

describe('the rule in a draft', () => {
  const issuesOf = (change: Partial<typeof stopping>, repetitions = 12) => {
    const parsed = parsePlan(makeDraft({ repetitions, stopping: { ...stopping, ...change } }), makeTestbed());
    return parsed.ok ? [] : parsed.issues.map(({ field }) => field);
  };

  it('names the field that is wrong', () => {
    expect(issuesOf({})).toEqual([]);
    expect(issuesOf({ metric: 'speed' })).toEqual(['stopping.metric']);
    expect(issuesOf({ targetPercent: 0 })).toEqual(['stopping.targetPercent']);
    expect(issuesOf({ targetPercent: Number.NaN })).toContain('stopping.targetPercent');
    expect(issuesOf({ atLeast: 2 })).toEqual(['stopping.atLeast']);
    expect(issuesOf({}, 4)).toEqual(['repetitions']);
  });

  it('reads drafts and plans that were stored before there was one', () => {
    const { stopping: _rule, ...old } = makeDraft();
    const parsed = parsePlan(old, makeTestbed());
    expect(parsed.ok && parsed.plan.stopping).toBeNull();
  });
});
