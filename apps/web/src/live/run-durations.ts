import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';

/** Median duration of the finished Runs, ms; null before there is one. */
export function medianRunMs(runs: readonly RunSummary[]): number | null {
  const durations = runs
    .flatMap(({ status, startedAt, finishedAt }) =>
      status === 'done' && startedAt !== null && finishedAt !== null ? [finishedAt - startedAt] : [],
    )
    .sort((a, b) => a - b);
  const low = durations[Math.floor((durations.length - 1) / 2)];
  const high = durations[Math.floor(durations.length / 2)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

export interface TimeLeft {
  leftMs: number;
  /** Server time, Unix ms. */
  finishesAt: number;
}

/** Counts down between two reports of the server; `toldAt` is when the last one was true. */
export function timeLeftAt(
  experiment: Pick<ExperimentSummary, 'timeLeftMs'>,
  toldAt: number | undefined,
  nowMs: number,
): TimeLeft | null {
  if (experiment.timeLeftMs === null) return null;
  const finishesAt = (toldAt ?? nowMs) + experiment.timeLeftMs;
  return { leftMs: Math.max(0, finishesAt - nowMs), finishesAt: Math.max(finishesAt, nowMs) };
}
