import { findMetric } from '../catalogue/metrics.ts';
import type { Plan } from '../domain/plans/plan.ts';
import type { RunRow } from '../domain/runs/run.ts';
import { formatNumber } from '../format/number.ts';
import { stopReason } from '../statistics/estimates/interval.ts';
import { treatmentsOfRuns } from './counting-runs.ts';
import { nounOf } from './phrase.ts';
import { resultOf } from './result.ts';

export interface StoppingJudgement {
  /** Number of evaluated repetitions. */
  blocks: number;
  /** True if no further repetitions are needed. */
  isEnough: boolean;
  /**
   * The widest interval over the treatments, as half-width divided by |mean|; null if a treatment has no
   * interval.
   */
  widest: number | null;
  /** The reason why the experiment continues or stops. */
  sentence: string;
}

/**
 * Checks whether the first `blocks` repetitions satisfy the plan's stopping rule: the interval of every
 * treatment over valid runs is at most as wide as the target. Returns null without a rule. Pure.
 */
export function judgeStopping(
  plan: Pick<Plan, 'stopping' | 'treatments' | 'repetitions'>,
  runs: readonly RunRow[],
  blocks: number,
): StoppingJudgement | null {
  const { stopping, repetitions } = plan;
  if (!stopping) return null;
  const metric = findMetric(stopping.metric);
  const within = runs.filter(({ block }) => block <= blocks);
  const estimates = metric
    ? resultOf({ treatments: treatmentsOfRuns(0, plan, within), baselineId: '', metric, flagged: false })
        .estimates
    : [];
  const widths = estimates.map(({ treatment, estimate: { n, relHalfWidth, isConstant } }) => ({
    name: treatment.treatment.shortLabel,
    runs: n,
    width: isConstant ? 0 : relHalfWidth,
  }));
  const unknown = widths.find(({ width }) => width === null);
  const widest = widths.reduce(
    (most, entry) => ((entry.width ?? 0) > (most.width ?? 0) ? entry : most),
    widths[0] ?? { name: '', runs: 0, width: null },
  );
  const relHalfWidths = widths.length === 0 ? [null] : widths.map(({ width }) => width);
  const rule = { target: stopping.targetPercent / 100, maxRuns: repetitions };
  const isNarrow = stopReason({ relHalfWidths, runs: blocks }, { ...rule, minRuns: 0 }) === 'target';
  const isEnough =
    stopReason({ relHalfWidths, runs: blocks }, { ...rule, minRuns: stopping.atLeast }) === 'target';
  const what = `${metric ? nounOf(metric) : stopping.metric}, target ±${formatNumber(stopping.targetPercent)} %`;
  const found = unknown
    ? `${unknown.name} has no interval yet: ${validRuns(unknown.runs)}`
    : `widest interval ±${formatNumber((widest.width ?? 0) * 100)} % (${widest.name})`;
  return {
    blocks,
    isEnough,
    widest: unknown ? null : widest.width,
    sentence: `After ${blocks} of at most ${repetitions} repetitions: ${found}; ${what}: ${verdictOf({ isNarrow, isEnough, blocks, repetitions, atLeast: stopping.atLeast })}.`,
  };
}

function validRuns(count: number): string {
  if (count === 0) return 'none of its runs is valid';
  return count === 1 ? 'one of its runs is valid' : `${count} of its runs are valid`;
}

function verdictOf(state: {
  isNarrow: boolean;
  isEnough: boolean;
  blocks: number;
  repetitions: number;
  atLeast: number;
}): string {
  if (state.isEnough) return 'narrow enough, so the experiment stops';
  if (state.blocks >= state.repetitions)
    return 'not reached, but the maximum number of repetitions has been reached';
  if (state.isNarrow)
    return `narrow enough, but at least ${state.atLeast} repetitions are required, so the experiment continues`;
  return 'not reached, so the experiment continues';
}
