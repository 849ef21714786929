import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { ExperimentStore, LiveBus, RunStore } from '../ports.ts';

/** Tells browsers what changed, as the store has it. */
export interface RunEvents {
  /** The Run, and the experiment that counts it. */
  run(runId: number): void;
  experiment(experimentId: number): void;
  /** Shown, and kept as far as the disk allows. */
  log(entry: LogEntry): void;
}

interface LogEntry {
  experimentId: number | null;
  runId: number | null;
  line: LogLine;
}

export interface RunEventsOptions {
  bus: Pick<LiveBus, 'publish'>;
  experiments: Pick<ExperimentStore, 'summary'>;
  runs: Pick<RunStore, 'find' | 'appendLog'>;
  onTrouble: (error: unknown) => void;
}

export function makeRunEvents({ bus, experiments, runs, onTrouble }: RunEventsOptions): RunEvents {
  const experiment = (experimentId: number): void => {
    const data = experiments.summary(experimentId);
    if (data) bus.publish({ event: 'experiment', experimentId, runId: null, data });
  };
  return {
    experiment,
    run(runId) {
      const data = runs.find(runId);
      if (!data) return;
      bus.publish({ event: 'run', experimentId: data.experimentId, runId, data });
      experiment(data.experimentId);
    },
    log({ experimentId, runId, line }) {
      bus.publish({ event: 'log', experimentId, runId, data: line });
      try {
        runs.appendLog({ experimentId, runId, line });
      } catch (error) {
        // A line that a full disk does not take was at least shown.
        onTrouble(error);
      }
    },
  };
}
