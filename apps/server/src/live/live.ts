import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
import type { Progress } from '@mqttlab/shared/messages/agent';
import type { CurrentRun, LiveEvent, PhaseNow } from '@mqttlab/shared/messages/live';
import type { Stores } from '../store/stores.ts';

/** Experiment and run that a log line is about; null for neither. */
interface LogSubject {
  experimentId: number | null;
  runId: number | null;
}

interface LiveOptions {
  stores: Pick<Stores, 'experiments' | 'runs'>;
  /** Logs an error in the server itself. */
  onError: (error: unknown) => void;
  nowMs: () => number;
}

export type Live = ReturnType<typeof makeLive>;

/** Publishes changes to browsers as they are stored in the database, and stores log lines. */
export function makeLive({ stores: { experiments, runs }, onError, nowMs }: LiveOptions) {
  const bus = makeBus({ nowMs, onError });
  const current = makeCurrentRuns();
  bus.subscribe(current.note);

  const publishExperiment = (experimentId: number): void => {
    const data = experiments.findExperimentSummary(experimentId);
    if (data) bus.publish({ event: 'experiment', experimentId, runId: null, data });
  };
  const log = (line: LogLine, subject: LogSubject = { experimentId: null, runId: null }): void => {
    bus.publish({ event: 'log', ...subject, data: line });
    try {
      runs.appendLog({ ...subject, line });
    } catch (error) {
      // A full disk must not stop the server; the line was at least published.
      onError(error);
    }
  };
  return {
    ...bus,
    /** Returns the runs in progress with their reports so far. */
    listCurrentRuns: current.list,
    publishExperiment,
    /** Publishes a run, and the experiment whose counts the run changes. */
    publishRun(runId: number): void {
      const data = runs.findRun(runId);
      if (!data) return;
      bus.publish({ event: 'run', experimentId: data.experimentId, runId, data });
      publishExperiment(data.experimentId);
    },
    /** Publishes a line and stores it if the disk has space. */
    log,
    /** Logs a line from the server itself. */
    note: (level: 'info' | 'warn' | 'error', text: string, subject?: LogSubject): void =>
      log({ at: nowMs(), level, source: 'server', text }, subject),
    reportError: onError,
  };
}

/** Number of events stored for browsers that reconnect. */
const storedEvents = 5000;
/**
 * Ids begin at the server's start in µs of Unix time, so that ids from an earlier process are never reused.
 */
const idsPerMs = 1000;

export type Bus = ReturnType<typeof makeBus>;

interface BusOptions {
  nowMs: () => number;
  onError: (error: unknown) => void;
}

/**
 * Delivers the same events in the same order to every listener, and stores the most recent events for
 * browsers that resume.
 */
export function makeBus(options: BusOptions) {
  const firstId = options.nowMs() * idsPerMs + 1;
  const listeners = new Set<(event: LiveEvent) => void>();
  const stored: LiveEvent[] = [];
  let nextId = firstId;

  const deliver = (event: LiveEvent): void => {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch (error) {
        options.onError(error);
      }
    }
  };

  return {
    publish(event: Omit<LiveEvent, 'id' | 'at'>): void {
      const published = { ...event, id: nextId, at: options.nowMs() } as LiveEvent;
      nextId += 1;
      stored.push(published);
      // Removed in steps, so that not every event moves the whole array.
      if (stored.length > storedEvents * 1.1) stored.splice(0, stored.length - storedEvents);
      deliver(published);
    },
    /** Calls `listener` with every later event. Returns a function that unsubscribes. */
    subscribe(listener: (event: LiveEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /**
     * Returns the events after that id; null if the id belongs to an earlier server process or is too old.
     */
    eventsAfter(id: number): LiveEvent[] | null {
      if (id === nextId - 1 && id >= firstId) return [];
      const oldest = stored[0];
      if (oldest === undefined || id < oldest.id - 1 || id < firstId || id >= nextId) return null;
      return stored.slice(id - oldest.id + 1);
    },
  };
}

/** Number of progress frames stored per device: ten minutes. */
const storedProgress = 600;

interface ReportedRun {
  run: RunSummary;
  phases: Map<string, PhaseNow>;
  progress: Map<string, Progress[]>;
}

/** Collects the reports of runs in progress. */
function makeCurrentRuns() {
  const runs = new Map<number, ReportedRun>();
  return {
    note(event: LiveEvent): void {
      if (event.event === 'run') noteRun(runs, event.data);
      if (event.runId === null) return;
      const reported = runs.get(event.runId);
      if (reported === undefined) return;
      if (event.event === 'phase')
        reported.phases.set(`${keyOf(event.data)} ${event.data.phase}`, event.data);
      if (event.event === 'progress') noteProgress(reported, event.data);
    },
    /** Returns the reports so far, for browsers that connect during a run. */
    list: (): CurrentRun[] =>
      [...runs.values()].map(({ run, phases, progress }) => ({
        run,
        phases: [...phases.values()],
        progress: [...progress.values()].flat().sort((a, b) => a.atMs - b.atMs),
      })),
  };
}

function noteRun(runs: Map<number, ReportedRun>, run: RunSummary): void {
  const reported = runs.get(run.id);
  if (isSettled(run.status) || run.status === 'planned') runs.delete(run.id);
  else if (reported) reported.run = run;
  else runs.set(run.id, { run, phases: new Map(), progress: new Map() });
}

function noteProgress(reported: ReportedRun, progress: Progress): void {
  const key = keyOf(progress);
  const own = reported.progress.get(key) ?? [];
  own.push(progress);
  if (own.length > storedProgress) own.shift();
  reported.progress.set(key, own);
}

/** Returns a key with the device, because several devices may have the same role. */
function keyOf({ role, deviceId }: Pick<Progress, 'role' | 'deviceId'>): string {
  return `${role} ${deviceId ?? ''}`;
}
