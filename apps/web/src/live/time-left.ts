import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';

export interface TimeLeft {
  leftMs: number;
  /** Server time, Unix ms. */
  finishesAt: number;
}

/** Counts down between two reports of the server; `reportedAt` is when the last one was true. */
export function timeLeftAt(
  experiment: Pick<ExperimentSummary, 'timeLeftMs'>,
  reportedAt: number | undefined,
  nowMs: number,
): TimeLeft | null {
  if (experiment.timeLeftMs === null) return null;
  const finishesAt = (reportedAt ?? nowMs) + experiment.timeLeftMs;
  return { leftMs: Math.max(0, finishesAt - nowMs), finishesAt: Math.max(finishesAt, nowMs) };
}
