import { describe, expect, it } from 'vitest';
import { parsePlan } from '../planning/parse-plan.ts';
import { decideStop } from '../statistics/adaptive-stop.ts';
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
  it('stops at the repetition at which every treatment is narrow enough, as the stop rule replays it', () => {
    const { plan, runs } = inputOf(2);
    const stops = plan.treatments.map(({ key }) => {
      const values = runs
        .filter(({ treatmentKey }) => treatmentKey === key)
        .map((run) => run.metrics['latency.p50']!);
      return values;
    });
    const narrow = (blocks: number) =>
      stops.every((values) => {
        const { steps } = decideStop(values, { target: 0.05, rMin: 2, rMax: 12 });
        return (steps.find(({ r }) => r === blocks)?.relHalfWidth ?? 1) <= 0.05;
      });
    const judged = Array.from({ length: 12 }, (_, i) => judgeStopping(plan, runs, i + 1)!);
    for (const { blocks, isEnough } of judged)
      expect(isEnough, `block ${blocks}`).toBe(blocks >= 5 && narrow(blocks));
    expect(judged.some(({ isEnough }) => isEnough)).toBe(true);
    expect(judged[2]?.sentence).toMatch(/After 3 of at most 12 repetitions: .+ goes on\./);
    expect(judged.find(({ isEnough }) => isEnough)?.sentence).toContain('narrow enough, so it stops');
  });

  it('goes on to the cap where the target is not reached, and says so', () => {
    const { plan, runs } = inputOf(40);
    expect(judgeStopping(plan, runs, 5)?.isEnough).toBe(false);
    expect(judgeStopping(plan, runs, 12)?.sentence).toContain('not reached, but the most repetitions are');
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
