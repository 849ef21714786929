import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { judgeStopping } from '@mqttlab/shared/analysis/judge-stopping';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { type ExperimentStatus, isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { Backoff } from '@mqttlab/shared/kit/backoff';
import { Failure, type FailureReport } from '@mqttlab/shared/kit/failure';
import { poll } from '@mqttlab/shared/kit/poll';
import type { ExperimentAction } from '@mqttlab/shared/messages/http';
import { conflict, notFound } from '../base/errors.ts';
import type { Lease, Testbeds } from '../devices/testbeds.ts';
import { dropPlanned, settleInterrupted, settleLeft } from '../run/results.ts';
import { executeRun, type RunOutcome, type RunServices } from '../run/run.ts';
import { endRuns, hasParticipants, selectParticipants } from '../run/run-devices.ts';
import { cancelled, serverStopped, toFailure } from '../run/run-failures.ts';
import type { ExperimentRecord } from '../store/experiments/experiment-store.ts';
import { StorageError } from '../store/storage-error.ts';
import { isUnreadableRow } from '../store/table.ts';
import { type NextRun, specOfTrial, TrialLedger } from './trial-ledger.ts';

export interface SchedulerServices extends RunServices {
  testbeds: Pick<Testbeds, 'listTestbedIds' | 'listParticipants' | 'isDraining' | 'leaseTestbed'>;
}

/** Actions on an experiment, except cloning and restoring. */
type RunAction = Exclude<ExperimentAction, 'clone' | 'restore'>;

export type Scheduler = ReturnType<typeof makeScheduler>;

/**
 * Starts, stops and finalises runs, with one queue per testbed. Actions that do not fit the status throw a
 * 409 problem.
 */
export function makeScheduler(services: SchedulerServices) {
  const { stores, live, testbeds, time } = services;
  const { experiments, runs } = stores;
  const queues = new Map<string, TestbedQueue>();

  let interrupted: readonly number[] | null = null;

  /** Promises by experiment, each of which resolves when the cancelled run is finalised. */
  const cancelling = new Map<number, Promise<void>>();

  /** Returns the queue of a testbed; testbeds may be added while the server is running. */
  const queueAt = (testbedId: string): TestbedQueue | undefined => {
    const found = queues.get(testbedId);
    if (found || interrupted === null || !testbeds.listTestbedIds().includes(testbedId)) return found;
    const own = interrupted.filter((runId) => {
      const experiment = experiments.findExperiment(runs.findRun(runId)?.experimentId ?? 0);
      return experiment?.plan?.testbedId === testbedId;
    });
    const queue = new TestbedQueue(testbedId, services, own);
    queues.set(testbedId, queue);
    return queue;
  };
  const queueOf = ({ plan }: ExperimentRecord): TestbedQueue | undefined =>
    plan ? queueAt(plan.testbedId) : undefined;

  /** Returns true if the experiment ended before every trial was run. */
  const hasRest = ({ id, plan, status }: ExperimentRecord): boolean =>
    (status === 'stopped' || status === 'cancelled') &&
    plan !== null &&
    new TrialLedger(plan, runs.listRuns(id)).next() !== null;

  /** Plans runs again. Returns false if there is nothing to run again. */
  const planAgain = ({ id, plan, status }: ExperimentRecord, which: 'failed' | 'flagged'): boolean => {
    if (!plan) return false;
    const ledger = new TrialLedger(plan, runs.listRuns(id));
    const again = ledger.again(which);
    for (const { trial, attempt, retryOf } of again) {
      const { number: trialNumber, block, treatmentKey } = trial;
      live.publishRun(
        runs.createRun({ experimentId: id, trialNumber, block, treatmentKey, attempt, retryOf }).id,
      );
    }
    return again.length > 0 || (which === 'failed' && isFinished(status) && ledger.next() !== null);
  };

  return {
    async start(): Promise<void> {
      if (queues.size > 0) return;
      interrupted = settleInterrupted(services);
      for (const testbedId of testbeds.listTestbedIds()) queueAt(testbedId)?.wake();
    },

    async stop(): Promise<void> {
      const ended = await Promise.allSettled([...queues.values()].map((queue) => queue.stop()));
      queues.clear();
      interrupted = null;
      const failed = ended.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },

    /** Executes a user's action. Rejects with a 404 or 409 problem. */
    async act(experimentId: number, action: RunAction): Promise<void> {
      // A retry must not begin before the cancelled run is finalised, because it would miss that trial or be
      // dropped with it.
      for (let ending = cancelling.get(experimentId); ending; ending = cancelling.get(experimentId)) {
        await ending;
      }
      const experiment = experiments.findExperiment(experimentId);
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
        throw conflict('Some trials of this experiment have not run yet.', 'Run the remaining trials first.');
      }
      if (action === 'rerun-flagged' && !planAgain(experiment, 'flagged')) {
        throw conflict('No counted run in this experiment is flagged.', 'There is nothing to run again.');
      }
      const queuedNow = action === 'start' || (next === 'queued' && isFinished(experiment.status));
      experiments.updateExperiment(experimentId, {
        status: next,
        ...(queuedNow ? { queuedAt: time.nowMs(), finishedAt: null } : {}),
        ...(isFinished(next) ? { finishedAt: time.nowMs() } : {}),
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
      if (isFinished(next)) dropPlanned(services, experimentId);
      live.publishExperiment(experimentId);
      queue?.refresh(experimentId);
    },

    /** Publishes an experiment that was queued and wakes the queue of its testbed. */
    noteQueued(experimentId: number): void {
      const experiment = experiments.findExperiment(experimentId);
      live.publishExperiment(experimentId);
      if (experiment) queueOf(experiment)?.refresh(experimentId);
    },

    /** Wakes the queue of a testbed that may be free again. */
    wake: (testbedId: string): void => queueAt(testbedId)?.wake(),

    /**
     * Ends or drops other attempts at this run's trial, because the run was corrected and its trial is
     * complete.
     */
    stopNeedless({ id, experimentId, trialNumber }: RunSummary): void {
      const experiment = experiments.findExperiment(experimentId);
      const queue = experiment && queueOf(experiment);
      const reason = `The results of run ${id} have arrived, so its trial is done.`;
      const planned = runs
        .listRuns(experimentId)
        .filter((run) => run.trialNumber === trialNumber && run.status === 'planned');
      for (const run of planned) {
        const failure = { code: 'cancelled', message: reason, remedy: 'No action is needed.' };
        runs.updateRun(run.id, { status: 'cancelled', failure, finishedAt: time.nowMs() });
        live.publishRun(run.id);
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
  const remedy =
    possible.length > 0 ? `Available actions: ${possible.join(', ')}.` : 'Clone it to run it again.';
  return conflict(`"${action}" is not available while the experiment is ${status}.`, remedy);
}

/** Statuses in which runs can be added. */
const whileKept = {
  queued: 'queued',
  running: 'running',
  pausing: 'pausing',
  paused: 'paused',
  done: 'queued',
  stopped: 'queued',
  cancelled: 'queued',
} as const;

/** The status to which each action leads; an action without an entry is not allowed in that status. */
const transitions: Readonly<
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

interface CurrentRun {
  experimentId: number;
  trialNumber: number;
  stop: AbortController;
  settled: Promise<unknown>;
}

/** Backoff [initial, max] in ms for errors outside a run, such as a full disk. */
const errorBackoffMs = { firstMs: 2_000, longestMs: 60_000 } as const;
/** Number of consecutive errors in one experiment after which the experiment is stopped. */
const maxErrors = 3;
/** How long a queue waits for enough agents in a pool before their absence ends the run. */
const onlineTimeoutMs = 60_000;
/** Pause between two attempts to end runs on devices that immediately respond with an error, in ms. */
const cleanUpEveryMs = 250;
/**
 * How long to wait for devices that may have a result, so that its trial is not run twice; later waits are
 * shorter.
 */
const returnTimeoutMs = { first: 60_000, again: 5_000 } as const;

/**
 * Runs the experiments on one testbed, one run at a time: a started experiment first, then in queue order.
 */
class TestbedQueue {
  readonly #testbedId: string;
  readonly #services: SchedulerServices;
  /**
   * Runs that a device may still be executing or have results of; they are ended on the device before the
   * next run.
   */
  readonly #unclean: Set<number>;
  #returnTimeoutMs: number = returnTimeoutMs.first;
  #ledger: { experimentId: number; ledger: TrialLedger } | null = null;
  /** Position at which the stopping rule was last evaluated, so that it is evaluated once per repetition. */
  #judged: { experimentId: number; block: number } | null = null;
  #current: CurrentRun | null = null;
  #loop: Promise<void> | null = null;
  #wakened = false;
  readonly #stopping = new AbortController();
  #previousEndedAt: number | null = null;
  /** Runs that ended but are not finalised in the database. */
  readonly #unsettled = new Map<number, Extract<RunOutcome, { status: 'unsettled' }>['ending']>();
  readonly #errorBackoff = new Backoff(errorBackoffMs);
  /**
   * Consecutive errors by experiment. Experiments at the limit are skipped until a user requests an action for them.
   */
  readonly #errors = new Map<number, number>();

  constructor(testbedId: string, services: SchedulerServices, interrupted: readonly number[]) {
    this.#testbedId = testbedId;
    this.#services = services;
    this.#unclean = new Set(interrupted);
  }

  /**
   * Continues the queue after a change: an experiment was queued, a user requested an action, or the testbed
   * became free.
   */
  wake(): void {
    this.#wakened = true;
    if (this.#loop !== null || this.#stopping.signal.aborted) return;
    // Starts asynchronously, because leasing the testbed wakes this queue again, which must find the loop
    // running.
    this.#loop = Promise.resolve()
      .then(() => this.#work())
      .finally(() => {
        this.#loop = null;
        if (this.#wakened) this.wake();
      });
  }

  /** Rereads the runs of an experiment that were added or corrected outside this queue. */
  refresh(experimentId: number): void {
    this.#errors.delete(experimentId);
    if (this.#ledger?.experimentId === experimentId) this.#ledger = null;
    this.wake();
  }

  /** Ends the current run of an experiment, if any; resolves when the run is finalised. */
  async cancelRun(experimentId: number): Promise<void> {
    const current = this.#current;
    if (current?.experimentId !== experimentId) return;
    current.stop.abort(cancelled('The experiment was cancelled.'));
    await current.settled;
  }

  /** Ends the current run if it belongs to this trial, which another run has completed. */
  cancelTrial(trial: { experimentId: number; trialNumber: number }, reason: string): void {
    const current = this.#current;
    if (current?.experimentId !== trial.experimentId || current.trialNumber !== trial.trialNumber) return;
    current.stop.abort(cancelled(reason));
  }

  /** Interrupts the current run and resolves when it is finalised. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#current?.stop.abort(serverStopped());
    await this.#loop;
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wakened = false;
      // The following steps may be repeated and must not block the event loop.
      await nextTurn();
      try {
        if (!(await this.#serveNext()) && !this.#wakened) return;
      } catch (error) {
        this.#services.live.reportError(error);
        await wait(this.#errorBackoff.next(), undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
  }

  /** Resolves with false if there is nothing to do until this queue is woken. */
  async #serveNext(): Promise<boolean> {
    this.#settleLeft();
    const experiment = this.#pick();
    if (experiment === null) {
      this.#previousEndedAt = null;
      return false;
    }
    const lease = this.#services.testbeds.leaseTestbed(this.#testbedId, experiment.id);
    // The lease holder wakes this queue on release.
    if (lease === null) return false;
    await this.#serve(experiment, lease);
    return true;
  }

  #pick(): ExperimentRecord | null {
    if (this.#services.testbeds.isDraining(this.#testbedId)) return null;
    const mine = this.#services.stores.experiments
      .listActiveExperiments()
      .filter(({ plan, status }) => plan?.testbedId === this.#testbedId && status !== 'paused')
      .filter(({ id }) => (this.#errors.get(id) ?? 0) < maxErrors);
    const begun = mine.find(({ status }) => status !== 'queued');
    const byTurn = mine.sort((a, b) => (a.queuedAt ?? 0) - (b.queuedAt ?? 0) || a.id - b.id);
    return begun ?? byTurn[0] ?? null;
  }

  async #serve(experiment: ExperimentRecord, lease: Lease): Promise<void> {
    try {
      this.#begin(experiment);
      while (!this.#stopping.signal.aborted && (await this.#step(experiment.id, lease))) await nextTurn();
      this.#errors.delete(experiment.id);
    } catch (error) {
      this.#countError(experiment.id, error);
      throw error;
    } finally {
      this.#ledger = null;
      lease.release();
    }
    this.#services.live.publishExperiment(experiment.id);
  }

  /**
   * Counts an error. A full disk affects every experiment. After any other error the experiment is retried a
   * few times, then stopped.
   */
  #countError(experimentId: number, error: unknown): void {
    if (error instanceof StorageError && error.code !== 'corrupt') return;
    const isUnreadable = isUnreadableRow(error);
    const failures = isUnreadable ? maxErrors : (this.#errors.get(experimentId) ?? 0) + 1;
    this.#errors.set(experimentId, failures);
    if (failures < maxErrors) return;
    const { message, remedy } = toFailure(error);
    const text = `Experiment ${experimentId} could not be executed and was stopped: ${message} ${remedy}`;
    this.#services.live.note('error', text, { experimentId, runId: null });
    try {
      this.#end(experimentId, 'stopped');
    } catch (trouble) {
      // This also cannot be stored, so the experiment is retried.
      this.#errors.delete(experimentId);
      this.#services.live.reportError(trouble);
    }
  }

  #begin({ id, status, startedAt }: ExperimentRecord): void {
    if (status !== 'queued') return;
    const { stores, live, time } = this.#services;
    stores.experiments.updateExperiment(id, { status: 'running', startedAt: startedAt ?? time.nowMs() });
    live.publishExperiment(id);
  }

  /** Executes one run; resolves with false if this experiment has finished with the testbed. */
  async #step(experimentId: number, lease: Lease): Promise<boolean> {
    const { experiments } = this.#services.stores;
    await this.#cleanUp(lease);
    const areOnline = () => this.#areDevicesOnline(experimentId);
    await poll(areOnline, { everyMs: 200, timeoutMs: onlineTimeoutMs, signal: this.#stopping.signal });
    // No code between here and the start of the run awaits, so no action can intervene.
    if (this.#stopping.signal.aborted) return false;
    const experiment = experiments.findExperiment(experimentId);
    if (!experiment?.plan || experiment.deletedAt !== null) return false;
    if (experiment.status === 'pausing') {
      experiments.updateExperiment(experimentId, { status: 'paused' });
      return false;
    }
    if (experiment.status === 'stopping') {
      this.#end(experimentId, 'stopped');
      return false;
    }
    if (experiment.status !== 'running' || this.#services.testbeds.isDraining(this.#testbedId)) return false;
    const next = this.#ledgerOf(experiment).next();
    if (next === null || this.#isEnough(experiment, next)) {
      this.#end(experimentId, 'done');
      return false;
    }
    await this.#run(experiment, next);
    this.#previousEndedAt = this.#services.time.nowMs();
    return true;
  }

  /** Returns true if the plan's stopping rule is fulfilled between two repetitions. */
  #isEnough({ id, plan }: ExperimentRecord, next: NextRun): boolean {
    const { stores, live } = this.#services;
    const { runs, experiments } = stores;
    if (!plan?.stopping || next.retryOf !== null || next.trial.block === this.#judgedBlock(id)) return false;
    this.#judged = { experimentId: id, block: next.trial.block };
    const judged = judgeStopping(plan, runs.listRuns(id), next.trial.block - 1);
    if (!judged || judged.blocks < 1) return false;
    live.note('info', judged.sentence, { experimentId: id, runId: null });
    if (judged.isEnough) {
      experiments.updateExperiment(id, {
        trials: plan.trials.filter(({ block }) => block <= judged.blocks).length,
      });
    }
    return judged.isEnough;
  }

  #judgedBlock(experimentId: number): number | null {
    return this.#judged?.experimentId === experimentId ? this.#judged.block : null;
  }

  #end(experimentId: number, status: 'done' | 'stopped'): void {
    this.#services.stores.experiments.updateExperiment(experimentId, {
      status,
      finishedAt: this.#services.time.nowMs(),
    });
  }

  #ledgerOf({ id, plan }: ExperimentRecord): TrialLedger {
    if (this.#ledger?.experimentId === id) return this.#ledger.ledger;
    const ledger = new TrialLedger(
      plan ?? { trials: [], retries: 0 },
      this.#services.stores.runs.listRuns(id),
    );
    this.#ledger = { experimentId: id, ledger };
    return ledger;
  }

  async #run({ id: experimentId, plan }: ExperimentRecord, next: NextRun): Promise<void> {
    const { stores, testbeds } = this.#services;
    const { trial, attempt, retryOf, planned } = next;
    const { number: trialNumber, block, treatmentKey } = trial;
    const run =
      planned ?? stores.runs.createRun({ experimentId, trialNumber, block, treatmentKey, attempt, retryOf });
    const stop = new AbortController();
    const outcome = executeRun(this.#services, {
      run,
      assign: () => {
        const spec = specOfTrial(plan, trial);
        if (!spec) throw new Failure(treatmentMissing(treatmentKey));
        const devices = testbeds.listParticipants(this.#testbedId);
        if (!devices) throw new Failure(testbedMissing(this.#testbedId));
        return { spec, participants: selectParticipants(devices, spec) };
      },
      testbedId: this.#testbedId,
      signal: stop.signal,
      previousEndedAt: this.#previousEndedAt,
    });
    this.#current = { experimentId, trialNumber, stop, settled: outcome.catch(() => {}) };
    try {
      const ended = await outcome;
      if (ended.status === 'unsettled') {
        this.#unsettled.set(run.id, ended.ending);
        throw ended.cause;
      }
      this.#noteOutcome(run, ended.cleanedUp);
      this.#errorBackoff.reset();
    } catch (error) {
      if (!this.#unsettled.has(run.id)) this.#unsettled.set(run.id, null);
      this.#unclean.add(run.id);
      throw error;
    } finally {
      this.#current = null;
    }
  }

  /** Stores the ends of runs that could not be stored before. Throws StorageError. */
  #settleLeft(): void {
    for (const [runId, ending] of this.#unsettled) {
      settleLeft(this.#services, runId, ending);
      this.#unsettled.delete(runId);
      this.#ledger = null;
    }
  }

  #noteOutcome(run: RunSummary, cleanedUp: boolean): void {
    if (!cleanedUp) this.#unclean.add(run.id);
    const settled = this.#services.stores.runs.findRun(run.id);
    if (settled) this.#ledger?.ledger.note(settled);
  }

  /** Returns true if the next run's devices are online, or if there is no run to wait for. */
  #areDevicesOnline(experimentId: number): boolean {
    const experiment = this.#services.stores.experiments.findExperiment(experimentId);
    if (experiment?.status !== 'running' || experiment.deletedAt !== null) return true;
    const spec = specOfTrial(experiment.plan, this.#ledgerOf(experiment).next()?.trial);
    const devices = this.#services.testbeds.listParticipants(this.#testbedId);
    return !spec || !devices || hasParticipants(devices, spec);
  }

  /**
   * Ends runs on devices that lost the server during them, because the devices may still be executing them or
   * have results.
   */
  async #cleanUp(lease: Lease): Promise<void> {
    if (this.#unclean.size === 0) return;
    const { agents, stores, live, time } = this.#services;
    const { signal } = this.#stopping;
    const runIds = [...this.#unclean];
    const deviceIds = [...new Set(runIds.flatMap((runId) => [...stores.runs.readRunDevices(runId).keys()]))];
    const away = deviceIds.filter((deviceId) => agents.findAgent(deviceId) === null);
    if (away.length > 0) {
      const text = `Waiting for ${away.join(', ')}, which may have results of run ${runIds.join(', ')}`;
      live.note('info', text, { experimentId: lease.experimentId, runId: null });
      lease.showWaiting({ deviceIds: away, runIds, untilAt: time.nowMs() + this.#returnTimeoutMs });
    }
    const until = performance.now() + this.#returnTimeoutMs;
    let areClean = false;
    for (let leftMs = this.#returnTimeoutMs; leftMs > 0 && !areClean; leftMs = until - performance.now()) {
      await agents.wakeDevices(deviceIds, { timeoutMs: leftMs, signal });
      if (signal.aborted) return;
      const links = deviceIds.flatMap((deviceId) => agents.findAgent(deviceId) ?? []);
      const ended = await Promise.all(links.map((link) => endRuns(link, runIds)));
      areClean = ended.length === deviceIds.length && !ended.includes(false);
      // A lost device fails immediately. Without a timer here, its `close` event could never be handled.
      if (!areClean) await wait(cleanUpEveryMs, undefined, { signal }).catch(() => {});
    }
    lease.showWaiting(null);
    if (areClean) this.#unclean.clear();
    this.#returnTimeoutMs = areClean ? returnTimeoutMs.first : returnTimeoutMs.again;
    this.#ledger = null;
  }
}

function treatmentMissing(treatmentKey: string): FailureReport {
  return {
    code: 'plan-damaged',
    message: `The plan of this experiment has no treatment ${treatmentKey}.`,
    remedy: 'Clone the experiment and start it again.',
  };
}

function testbedMissing(testbedId: string): FailureReport {
  return {
    code: 'testbed-missing',
    message: `The testbed ${testbedId} no longer exists.`,
    remedy: 'Add it again, then retry the run, or clone the experiment for another testbed.',
  };
}
