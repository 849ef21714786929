import { isFlaggedFor } from '../catalogue/flags.ts';
import { findMetric } from '../catalogue/metrics.ts';
import { verdicts } from '../catalogue/verdicts.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import { countedMetrics } from '../domain/runs/run.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { inSentence } from '../format/unit.ts';
import { joinWords, nounOf } from './phrase.ts';

type Run = ComparedTreatment['runs'][number];

/** Above this share of flagged runs, the page shows a notice at the top. */
const largeShare = 1 / 3;

/** Describes how many of a treatment's runs are flagged for a metric: "3 of 3 flagged"; null if none are. */
export function flaggedCount({ runs }: { runs: readonly Run[] }, metric: MetricDefinition): string | null {
  const flagged = runs.filter((run) => isFlaggedFor(run, metric)).length;
  return flagged === 0 ? null : `${flagged} of ${runs.length} flagged`;
}

/** True if the page should explain the flags and preview the flagged runs. */
export function isLargelyFlagged(
  treatments: readonly Pick<ComparedTreatment, 'runs'>[],
  metric: MetricDefinition,
): boolean {
  const runs = treatments.flatMap((treatment) => treatment.runs);
  return runs.filter((run) => isFlaggedFor(run, metric)).length > runs.length * largeShare;
}

/** Notice about flagged runs. */
export interface FlaggedNotice {
  /** Number of runs flagged by any failed verdict; all of them would run again. */
  flagged: number;
  /** Faults with their number of runs, most common first. */
  why: string;
  remedy: string;
  /** Which runs still count for this metric. */
  counts: string;
  /** Names other metrics that no flag affects; null if flagged runs are included. */
  unaffected: string | null;
}

/**
 * Returns null if at most a third of the runs are flagged for the metric. `includesFlagged`: flagged runs
 * count on request.
 */
export function noticeOfFlagged(
  treatments: readonly Pick<ComparedTreatment, 'runs'>[],
  metric: MetricDefinition,
  includesFlagged = false,
): FlaggedNotice | null {
  if (!isLargelyFlagged(treatments, metric)) return null;
  const runs = treatments.flatMap((treatment) => treatment.runs);
  const flagged = runs.filter((run) => run.flagged);
  const causes = verdicts
    .map(({ id, fault, remedy }) => ({
      fault,
      remedy,
      runs: runs.filter(({ failed }) => failed?.includes(id)).length,
    }))
    .filter((cause) => cause.runs > 0)
    // For equally common faults, later verdicts come first: they check the machine, which is the cause, and
    // earlier verdicts check the effects.
    .reverse()
    .sort((a, b) => b.runs - a.runs);
  const [lead, ...others] = causes;
  const rest = others.map((cause) => `${inSentence(cause.fault)} in ${cause.runs}`);
  const measured = runs.filter((run) => Number.isFinite(run.metrics[metric.id] ?? Number.NaN));
  const valid = measured.filter((run) => !isFlaggedFor(run, metric)).length;
  const counted = includesFlagged ? measured.length : valid;
  const of = `${counted} of ${runs.length} runs ${counted === 1 ? 'counts' : 'count'} for ${nounOf(metric)}`;
  return {
    flagged: flagged.length,
    why: lead
      ? `${[`${lead.fault} in ${lead.runs} of ${runs.length} runs`, ...rest].join('; ')}.`
      : `${flagged.length} of ${runs.length} runs ${flagged.length === 1 ? 'is' : 'are'} flagged.`,
    remedy: lead?.remedy ?? 'Each run’s page shows which check failed.',
    counts: includesFlagged
      ? `${of}, ${measured.length - valid} of them flagged and included on request.`
      : `${of}.`,
    unaffected: includesFlagged ? null : namesOfUnaffected(runs),
  };
}

/**
 * Names the counts that no failed verdict of these runs affects. Run lists also contain these counts, so the
 * sentence stays the same when the complete runs are loaded.
 */
function namesOfUnaffected(runs: readonly Run[]): string | null {
  const nouns = countedMetrics
    .flatMap((id) => findMetric(id) ?? [])
    .filter(
      (metric) =>
        runs.some((run) => typeof run.metrics[metric.id] === 'number') &&
        !runs.some((run) => isFlaggedFor(run, metric)),
    )
    .map(nounOf);
  return nouns.length === 0 ? null : `Not affected, for example: ${joinWords(nouns)}.`;
}
