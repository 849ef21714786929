import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { Stores } from '../store/stores.ts';
import { makeBus, makeCurrentRuns } from './bus.ts';

/** Subject of a log line; null: no experiment, no run. */
interface LogSubject {
  experimentId: number | null;
  runId: number | null;
}

interface LiveOptions {
  stores: Pick<Stores, 'experiments' | 'runs'>;
  /** Logs an error of the server itself. */
  onError: (error: unknown) => void;
  nowMs: () => number;
}

export type Live = ReturnType<typeof makeLive>;

/** Publishes changes to browsers, as stored in the database, and stores log lines. */
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
      // A full disk must not stop the server: the line was at least published.
      onError(error);
    }
  };
  return {
    ...bus,
    /** Runs in progress with their reports so far. */
    listCurrentRuns: current.list,
    publishExperiment,
    /** Publishes a run, and the experiment whose counts it changes. */
    publishRun(runId: number): void {
      const data = runs.findRun(runId);
      if (!data) return;
      bus.publish({ event: 'run', experimentId: data.experimentId, runId, data });
      publishExperiment(data.experimentId);
    },
    /** Publishes a line and stores it if the disk allows. */
    log,
    /** Logs a line of the server itself. */
    note: (level: 'info' | 'warn' | 'error', text: string, subject?: LogSubject): void =>
      log({ at: nowMs(), level, source: 'server', text }, subject),
    reportError: onError,
  };
}
