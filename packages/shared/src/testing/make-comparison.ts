import type { ComparedRun, Comparison } from '../domain/runs/comparison.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeDraft, makeTestbed } from './factories.ts';

/** A comparison of the tour's treatments; `shape` defines the values of each run. Blocks are counted from 1. */
export function makeComparison(
  shape: (treatment: number, block: number) => Partial<ComparedRun>,
  repetitions = 3,
): Comparison {
  const parsed = parsePlan(makeDraft(), makeTestbed());
  if (!parsed.ok) throw new Error('the tour is a plan');
  const blocks = Array.from({ length: repetitions }, (_, index) => index + 1);
  const treatments = parsed.plan.treatments.map((treatment, index) => ({
    id: `1~${treatment.key}`,
    experimentId: 1,
    treatment,
    runs: blocks.map((block) => ({
      runId: index * repetitions + block,
      block,
      flagged: false,
      metrics: {},
      ...shape(index, block),
    })),
    latency: null,
    latencyWithFlagged: null,
  }));
  return {
    experiments: [{ id: 1, name: 'Tour', status: 'done', finishedAt: 0 }],
    treatments,
    flaggedRuns: treatments.flatMap(({ runs }) => runs).filter(({ flagged }) => flagged).length,
    failedRuns: 0,
  };
}
