export interface QueueBar {
  kind: 'running' | 'queued' | 'plan';
  label: string;
  /** Share of the time from now to the end of this plan. */
  fromShare: number;
  toShare: number;
}

export interface QueueInput {
  nowMs: number;
  startsAt: number;
  durationMs: number;
  /** null where nothing runs or its end is not known. */
  runningLeftMs: number | null;
  runningLabel: string;
  queued: number;
}

/** The running experiment, those that wait together, then this plan, from now to its end. */
export function layOutQueue(input: QueueInput): QueueBar[] {
  const { nowMs, startsAt, durationMs, runningLeftMs, runningLabel, queued } = input;
  const waitMs = Math.max(0, startsAt - nowMs);
  const wholeMs = waitMs + durationMs;
  const runningShare = Math.min(runningLeftMs ?? (queued === 0 ? waitMs : 0), waitMs) / wholeMs;
  const startShare = waitMs / wholeMs;
  const bars: QueueBar[] = [
    { kind: 'running', label: runningLabel, fromShare: 0, toShare: runningShare },
    {
      kind: 'queued',
      label: queued > 0 ? `${queued} queued` : 'waits',
      fromShare: runningShare,
      toShare: startShare,
    },
    { kind: 'plan', label: 'this plan', fromShare: startShare, toShare: 1 },
  ];
  return bars.filter((bar) => bar.toShare - bar.fromShare > 0.001);
}
