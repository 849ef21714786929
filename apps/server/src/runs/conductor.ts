import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { type ExperimentStatus, isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { ExperimentAction } from '@mqttlab/shared/messages/http';
import { conflict, notFound } from '../base/errors.ts';
import type { Conductor } from '../base/ports.ts';
import type { ExperimentRecord } from '../store/experiments/experiment-store.ts';
import { type QueueDependencies, TestbedQueue } from './queue.ts';
import { dropPlanned, settleInterrupted } from './settle-runs.ts';
import { TrialLedger } from './trial-ledger.ts';

interface ConductorDependencies extends QueueDependencies {
  /** Those there are now. */
  testbedIds: () => readonly string[];
}

interface RunConductor extends Conductor {
  /** The testbed may be free again. */
  wake(testbedId: string): void;
  /** This Run was corrected and its trial is done: other attempts at it are ended, or never begun. */
  stopNeedless(done: RunSummary): void;
}

/** Starts, stops and settles Runs: one queue for each testbed. */
export function makeConductor(deps: ConductorDependencies): RunConductor {
  const { experiments, runs, events, nowMs } = deps;
  const queues = new Map<string, TestbedQueue>();

  let interrupted: readonly number[] | null = null;

  /** By experiment: resolves when the run that is being cancelled is settled. */
  const cancelling = new Map<number, Promise<void>>();

  /** Testbeds come while the server runs. */
  const queueAt = (testbedId: string): TestbedQueue | undefined => {
    const found = queues.get(testbedId);
    if (found || interrupted === null || !deps.testbedIds().includes(testbedId)) return found;
    const own = interrupted.filter((runId) => {
      const experiment = experiments.find(runs.find(runId)?.experimentId ?? 0);
      return experiment?.plan?.testbedId === testbedId;
    });
    const queue = new TestbedQueue(testbedId, deps, own);
    queues.set(testbedId, queue);
    return queue;
  };
  const queueOf = ({ plan }: ExperimentRecord): TestbedQueue | undefined =>
    plan ? queueAt(plan.testbedId) : undefined;

  /** It was ended before every trial had its turn. */
  const hasRest = ({ id, plan, status }: ExperimentRecord): boolean =>
    (status === 'stopped' || status === 'cancelled') &&
    plan !== null &&
    new TrialLedger(plan, runs.listOf(id)).next() !== null;

  /** False when there is nothing to run again. */
  const planAgain = ({ id, plan, status }: ExperimentRecord, which: 'failed' | 'flagged'): boolean => {
    if (!plan) return false;
    const ledger = new TrialLedger(plan, runs.listOf(id));
    const again = ledger.again(which);
    for (const { trial, attempt, retryOf } of again) {
      const { number: trialNumber, block, treatmentKey } = trial;
      events.run(runs.create({ experimentId: id, trialNumber, block, treatmentKey, attempt, retryOf }).id);
    }
    return again.length > 0 || (which === 'failed' && isFinished(status) && ledger.next() !== null);
  };

  return {
    async start() {
      if (queues.size > 0) return;
      interrupted = settleInterrupted(deps);
      for (const testbedId of deps.testbedIds()) queueAt(testbedId)?.wake();
    },

    async stop() {
      const ended = await Promise.allSettled([...queues.values()].map((queue) => queue.stop()));
      queues.clear();
      interrupted = null;
      const failed = ended.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },

    async act(experimentId, action) {
      // A retry may not begin before the cancelled run is settled: it would miss that trial, or be dropped with it.
      for (let ending = cancelling.get(experimentId); ending; ending = cancelling.get(experimentId)) {
        await ending;
      }
      const experiment = experiments.find(experimentId);
      if (!experiment || experiment.deletedAt !== null) throw notFound('experiment', experimentId);
      const next = transitions[action][experiment.status];
      if (next === undefined) throw unfit(experiment, action);
      if (action === 'start' && !experiment.plan) throw unfit(experiment, action);
      if (action === 'retry-failed' && !planAgain(experiment, 'failed')) {
        throw conflict('No run of this experiment has failed.', 'There is nothing to retry.');
      }
      if (action === 'rerun-flagged' && experiment.imported) {
        throw conflict('This experiment was run elsewhere and imported.', 'Clone it to run it here.');
      }
      if (action === 'rerun-flagged' && hasRest(experiment)) {
        throw conflict('Some trials of this experiment have not run yet.', 'Run the rest first.');
      }
      if (action === 'rerun-flagged' && !planAgain(experiment, 'flagged')) {
        throw conflict('No run that counts in this experiment is flagged.', 'There is nothing to run again.');
      }
      const queuedNow = action === 'start' || (next === 'queued' && isFinished(experiment.status));
      experiments.update(experimentId, {
        status: next,
        ...(queuedNow ? { queuedAt: nowMs(), finishedAt: null } : {}),
        ...(isFinished(next) ? { finishedAt: nowMs() } : {}),
      });
      const queue = queueOf(experiment);
      if (next === 'cancelled' && queue) {
        const ending = queue.cancelRun(experimentId);
        cancelling.set(experimentId, ending);
        try {
          await ending;
        } finally {
          cancelling.delete(experimentId);
        }
      }
      if (isFinished(next)) dropPlanned(deps, experimentId);
      events.experiment(experimentId);
      queue?.refresh(experimentId);
    },

    noteQueued(experimentId) {
      const experiment = experiments.find(experimentId);
      events.experiment(experimentId);
      if (experiment) queueOf(experiment)?.refresh(experimentId);
    },

    wake: (testbedId) => queueAt(testbedId)?.wake(),

    stopNeedless({ id, experimentId, trialNumber }) {
      const experiment = experiments.find(experimentId);
      const queue = experiment && queueOf(experiment);
      const reason = `The results of run ${id} have arrived, so its trial is done.`;
      const planned = runs
        .listOf(experimentId)
        .filter((run) => run.trialNumber === trialNumber && run.status === 'planned');
      for (const run of planned) {
        const failure = { code: 'cancelled', message: reason, remedy: 'Nothing needs to be done.' };
        runs.update(run.id, { status: 'cancelled', failure, finishedAt: nowMs() });
        events.run(run.id);
      }
      queue?.cancelTrial({ experimentId, trialNumber }, reason);
      queue?.refresh(experimentId);
    },
  };
}

function unfit({ status, plan }: ExperimentRecord, action: RunAction) {
  if (action === 'start' && status === 'draft' && !plan) {
    return conflict('This experiment has no plan yet.', 'Correct its draft, then start it.');
  }
  const possible = Object.entries(transitions).flatMap(([name, from]) => (status in from ? [name] : []));
  const remedy = possible.length > 0 ? `Possible now: ${possible.join(', ')}.` : 'Clone it to run it again.';
  return conflict(`An experiment that is ${status} does not allow "${action}".`, remedy);
}

type RunAction = Exclude<ExperimentAction, 'clone' | 'restore'>;

/** From these statuses runs can be added. */
const whileKept = {
  queued: 'queued',
  running: 'running',
  pausing: 'pausing',
  paused: 'paused',
  done: 'queued',
  stopped: 'queued',
  cancelled: 'queued',
} as const;

/** What an action makes of an experiment in each status; where there is nothing, the action does not fit. */
export const transitions: Readonly<
  Record<RunAction, Readonly<Partial<Record<ExperimentStatus, ExperimentStatus>>>>
> = {
  start: { draft: 'queued' },
  pause: { queued: 'paused', running: 'pausing' },
  resume: { paused: 'queued', pausing: 'running' },
  'stop-after-run': { queued: 'stopped', paused: 'stopped', running: 'stopping', pausing: 'stopping' },
  cancel: {
    queued: 'cancelled',
    running: 'cancelled',
    pausing: 'cancelled',
    paused: 'cancelled',
    stopping: 'cancelled',
  },
  'retry-failed': whileKept,
  'rerun-flagged': whileKept,
};
