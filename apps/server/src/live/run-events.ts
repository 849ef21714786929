import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { LiveBus } from '../base/ports.ts';
import type { ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';

/** null: of no experiment, of no Run. */
interface About {
  experimentId: number | null;
  runId: number | null;
}

interface RunEventsOptions {
  bus: Pick<LiveBus, 'publish'>;
  experiments: Pick<ExperimentStore, 'summary'>;
  runs: Pick<RunStore, 'find' | 'appendLog'>;
  onTrouble: (error: unknown) => void;
  nowMs: () => number;
}

export type RunEvents = ReturnType<typeof makeRunEvents>;

/** Publishes to browsers what changed, as the store has it. */
export function makeRunEvents({ bus, experiments, runs, onTrouble, nowMs }: RunEventsOptions) {
  const experiment = (experimentId: number): void => {
    const data = experiments.summary(experimentId);
    if (data) bus.publish({ event: 'experiment', experimentId, runId: null, data });
  };
  /** Shown, and kept as far as the disk allows. */
  const log = (line: LogLine, { experimentId, runId }: About = { experimentId: null, runId: null }): void => {
    bus.publish({ event: 'log', experimentId, runId, data: line });
    try {
      runs.appendLog({ experimentId, runId, line });
    } catch (error) {
      // A line that a full disk does not take was at least shown.
      onTrouble(error);
    }
  };
  return {
    experiment,
    /** The Run, and the experiment that counts it. */
    run(runId: number): void {
      const data = runs.find(runId);
      if (!data) return;
      bus.publish({ event: 'run', experimentId: data.experimentId, runId, data });
      experiment(data.experimentId);
    },
    log,
    /** A line of the server's own. */
    note: (level: 'info' | 'warn' | 'error', text: string, about?: About): void =>
      log({ at: nowMs(), level, source: 'server', text }, about),
  };
}
