import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/run';
import type { Progress } from '@mqttlab/shared/messages/agent';
import type { CurrentRun, LiveEvent, PhaseNow } from '@mqttlab/shared/messages/live';

/** Progress frames kept for each device: ten minutes. */
const keptProgress = 600;

interface Shown {
  run: RunSummary;
  phases: Map<string, PhaseNow>;
  progress: Map<string, Progress[]>;
}

export interface CurrentRuns {
  /** Takes note of what browsers are told. */
  note(event: LiveEvent): void;
  /** For viewers that come late. */
  list(): CurrentRun[];
}

/** What the Runs under way have shown so far. */
export function makeCurrentRuns(): CurrentRuns {
  const runs = new Map<number, Shown>();
  return {
    note(event) {
      if (event.event === 'run') noteRun(runs, event.data);
      if (event.runId === null) return;
      const shown = runs.get(event.runId);
      if (shown === undefined) return;
      if (event.event === 'phase') shown.phases.set(`${keyOf(event.data)} ${event.data.phase}`, event.data);
      if (event.event === 'progress') noteProgress(shown, event.data);
    },
    list: () =>
      [...runs.values()].map(({ run, phases, progress }) => ({
        run,
        phases: [...phases.values()],
        progress: [...progress.values()].flat().sort((a, b) => a.atMs - b.atMs),
      })),
  };
}

function noteRun(runs: Map<number, Shown>, run: RunSummary): void {
  const shown = runs.get(run.id);
  if (isSettled(run.status) || run.status === 'planned') runs.delete(run.id);
  else if (shown) shown.run = run;
  else runs.set(run.id, { run, phases: new Map(), progress: new Map() });
}

function noteProgress(shown: Shown, progress: Progress): void {
  const key = keyOf(progress);
  const own = shown.progress.get(key) ?? [];
  own.push(progress);
  if (own.length > keptProgress) own.shift();
  shown.progress.set(key, own);
}

/** Several devices may play one role. */
function keyOf({ role, deviceId }: Pick<Progress, 'role' | 'deviceId'>): string {
  return `${role} ${deviceId ?? ''}`;
}
