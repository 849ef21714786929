import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
import type { Progress } from '@mqttlab/shared/messages/agent';
import type { CurrentRun, LiveEvent, LiveSnapshot, PhaseNow } from '@mqttlab/shared/messages/live';
import type { LiveBus } from '../base/ports.ts';

/** Events kept for browsers that come back. */
const keptEvents = 5000;
/** Ids begin at the server's start in µs of Unix time, so that no id of an earlier life is ever used again. */
const idsPerMs = 1000;

export interface Bus extends LiveBus {
  /** Called with every event from now on; returns what ends it. */
  subscribe(listener: (event: LiveEvent) => void): () => void;
  /** What came behind that id; null when it is of another life of the server or too long ago. */
  eventsAfter(id: number): LiveEvent[] | null;
}

interface BusOptions {
  nowMs: () => number;
  snapshot: () => LiveSnapshot;
  onTrouble: (error: unknown) => void;
}

/** Tells every listener the same events in the same order. */
export function makeBus(options: BusOptions): Bus {
  const firstId = options.nowMs() * idsPerMs + 1;
  const listeners = new Set<(event: LiveEvent) => void>();
  const kept: LiveEvent[] = [];
  let nextId = firstId;

  const deliver = (event: LiveEvent): void => {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch (error) {
        options.onTrouble(error);
      }
    }
  };

  return {
    publish(event) {
      const told = { ...event, id: nextId, at: options.nowMs() } as LiveEvent;
      nextId += 1;
      kept.push(told);
      // In steps, so that not every event moves the whole array.
      if (kept.length > keptEvents * 1.1) kept.splice(0, kept.length - keptEvents);
      deliver(told);
    },
    snapshot: options.snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    eventsAfter(id) {
      if (id === nextId - 1 && id >= firstId) return [];
      const oldest = kept[0];
      if (oldest === undefined || id < oldest.id - 1 || id < firstId || id >= nextId) return null;
      return kept.slice(id - oldest.id + 1);
    },
  };
}

/** Progress frames kept for each device: ten minutes. */
const keptProgress = 600;

interface Shown {
  run: RunSummary;
  phases: Map<string, PhaseNow>;
  progress: Map<string, Progress[]>;
}

/** What the Runs under way have shown so far. */
export function makeCurrentRuns() {
  const runs = new Map<number, Shown>();
  return {
    /** Takes note of what browsers are told. */
    note(event: LiveEvent): void {
      if (event.event === 'run') noteRun(runs, event.data);
      if (event.runId === null) return;
      const shown = runs.get(event.runId);
      if (shown === undefined) return;
      if (event.event === 'phase') shown.phases.set(`${keyOf(event.data)} ${event.data.phase}`, event.data);
      if (event.event === 'progress') noteProgress(shown, event.data);
    },
    /** For viewers that come late. */
    list: (): CurrentRun[] =>
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
