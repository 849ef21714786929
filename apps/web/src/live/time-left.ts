import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';

export interface TimeLeft {
  leftMs: number;
  /** Server time, Unix ms. */
  finishesAt: number;
}

/** Counts down between two reports from the server. `reportedAt` is the time of the last report. */
export function timeLeftAt(
  experiment: Pick<ExperimentSummary, 'timeLeftMs'>,
  reportedAt: number | undefined,
  nowMs: number,
): TimeLeft | null {
  if (experiment.timeLeftMs === null) return null;
  const finishesAt = (reportedAt ?? nowMs) + experiment.timeLeftMs;
  return { leftMs: Math.max(0, finishesAt - nowMs), finishesAt: Math.max(finishesAt, nowMs) };
}
