import { setImmediate as breathe } from 'node:timers/promises';
import type { MeterRunTimes } from '@mqttlab/shared/analysis/apply-meter';
import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import type { HistogramJson } from '@mqttlab/shared/domain/runs/role-result';
import { isSettled, type Redefined, type RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { RunStore } from '../../base/ports.ts';
import type { Database, Params } from '../database.ts';
import type { StoreOptions } from '../experiments/experiment-store.ts';
import { makePlanCache } from '../experiments/plan-cache.ts';
import { readPlan } from '../experiments/read-plan.ts';
import { earliestDefinitions, listOfEarlierDefinitions, markWithoutEvidence } from './earlier-definitions.ts';
import { type LastAttempt, listLastAttempts } from './last-attempts.ts';
import {
  appendLogLine,
  experimentLogPage,
  type LogPage,
  pruneLogLines,
  recentLogLines,
  runLogLines,
  type StoredLogLine,
} from './log-lines.ts';
import { markCounting } from './mark-counting.ts';
import { type DeviceReadings, saveMeterReadings, withMeters } from './meter-readings.ts';
import { readMeterRunTimes } from './meter-run-times.ts';
import { type MetricValue, type SimilarRuns, valuesOfExperiment, valuesOfSimilar } from './metric-values.ts';
import { medianOverheadMs } from './overhead.ts';
import { recount } from './recount.ts';
import { findRunDetail } from './run-detail.ts';
import { readRunDevices, saveRunDevices } from './run-device-rows.ts';
import { latencyHistograms } from './run-latency.ts';
import { readResults, type StoredResult, saveRoleResult } from './run-results.ts';
import {
  countRunsByStatus,
  countSettling,
  findLastResultAt,
  findRunSummary,
  findRunTimes,
  listRunPage,
  listRunSummaries,
  listUnsettledRuns,
  type RunTimes,
  stampOfRuns,
} from './run-rows.ts';
import { type MetricSeries, readMetricSeries } from './run-series.ts';

export interface SqlRunStore extends RunStore {
  /** Every Run of an experiment, oldest first, in pages with room for others in between. */
  eachOf(experimentId: number): AsyncGenerator<RunSummary>;
  /** The same, all together. */
  allOf(experimentId: number): Promise<RunSummary[]>;
  /** Changes with every run that a report shows. */
  stampOf(experimentId: number): string;
  /** As results, with the device that sent each. */
  storedResults(runId: number): StoredResult[];
  /** Only the attempt of each Trial that counts, oldest first; with all its metrics, or only the one that is named. */
  listLastAttempts(experimentId: number, only?: string): LastAttempt[];
  /** What a meter of somebody's own measured at this device; takes the place of an earlier file. */
  saveMeter(meter: DeviceReadings): void;
  /** When this device had runs to do, around one of them. */
  meterRunTimes(runId: number, deviceId: string): MeterRunTimes;
  /** One metric of one role for these runs, straight from the column blocks. */
  series(runIds: readonly number[], which: { metric: string; role: string }): MetricSeries[];
  /** One metric over the valid runs of an experiment. */
  valuesOf(experimentId: number, which: { metric: string; finishing?: number }): MetricValue[];
  /** One metric over earlier valid runs of the same kind. */
  valuesOfSimilar(similar: SimilarRuns): MetricValue[];
  /** One for each run and subscriber device. */
  latencyHistograms(runIds: readonly number[]): Iterable<HistogramJson>;
  /** Number of runs by status, superseded ones included. */
  countByStatus(): Record<string, number>;
  /** What was said of an experiment and its runs, newest first. */
  logOfExperiment(experimentId: number, page: { before: number | null; limit: number }): LogPage;
  /** When measuring began, and what a run cost beside the load; null where unknown. */
  timesOf(runId: number): RunTimes;
  /** Done runs with evidence whose figures were computed by definitions before these, oldest first. */
  listOfEarlierDefinitions(version: number, limit: number): number[];
  /** Of the done runs of an experiment. */
  earliestDefinitions(experimentId: number): number;
  /** Runs without evidence stay as they are: nothing can be computed anew. */
  markWithoutEvidence(version: number): void;
  markDefined(runId: number, version: number): void;
  noteRedefined(runId: number, redefined: Redefined): void;
  /** Oldest first. */
  logOf(runId: number): StoredLogLine[];
}

/** Lines of log between two looks at whether old ones go. */
const pruneEvery = 500;

/** Runs and their data in SQLite. Every write is one transaction and throws StorageError when it cannot be kept. */
export function makeRunStore(database: Database, options: StoreOptions = {}): SqlRunStore {
  const now = options.now ?? Date.now;
  const plans = makePlanCache((id) => readPlan(database, id));
  let appended = 0;

  return {
    create({ experimentId, trialNumber, block, treatmentKey, attempt, retryOf }) {
      return database.transaction(() => {
        const { id } = database.run(
          `INSERT INTO runs (experiment_id, testbed_id, trial_number, block, treatment_key, attempt, retry_of, status)
           SELECT id, testbed_id, :trialNumber, :block, :treatmentKey, :attempt, :retryOf, 'planned'
           FROM experiments WHERE id = :experimentId`,
          { experimentId, trialNumber, block, treatmentKey, attempt, retryOf },
        );
        markCounting(database, { experimentId, trialNumber });
        recount(database, experimentId);
        return required(findRunSummary(database, id), id);
      });
    },

    find: (id) => findRunSummary(database, id),
    detail: (id) => findRunDetail(database, id, plans.find),
    listOf: (experimentId) => listRunSummaries(database, experimentId),
    eachOf: (experimentId) => eachRun(database, experimentId),
    allOf: (experimentId) => allRuns(database, experimentId),
    stampOf: (experimentId) => stampOfRuns(database, experimentId),
    listLastAttempts: (experimentId, only) => listLastAttempts(database, experimentId, only),
    listUnsettled: () => listUnsettledRuns(database),

    update(id, change) {
      database.transaction(() => {
        const run = required(findRunSummary(database, id), id);
        const columns: Params = {};
        if (change.status !== undefined) columns.status = change.status;
        if (change.startedAt !== undefined) columns.started_at = change.startedAt;
        if (change.finishedAt !== undefined) columns.finished_at = change.finishedAt;
        if (change.measuredAt !== undefined) columns.measured_at = change.measuredAt;
        if (change.overheadMs !== undefined) columns.overhead_ms = change.overheadMs;
        if (change.notes !== undefined) columns.notes = change.notes;
        if (change.tags !== undefined) columns.tags_json = JSON.stringify(change.tags);
        if (change.exclusion !== undefined) {
          columns.exclusion_json = change.exclusion === null ? null : JSON.stringify(change.exclusion);
        }
        if (change.failure !== undefined) {
          columns.failure_json = change.failure === null ? null : JSON.stringify(change.failure);
        }
        const names = Object.keys(columns);
        if (names.length === 0) return;
        const assignments = names.map((name) => `${name} = :${name}`).join(', ');
        database.run(`UPDATE runs SET ${assignments} WHERE id = :id`, { ...columns, id });
        if (change.status === undefined || change.status === run.status) return;
        markCounting(database, run);
        recount(database, run.experimentId);
      });
    },

    beginSettling: (runId) => countSettling(database, runId),
    lastResultAt: (runId) => findLastResultAt(database, runId),
    saveDevices: (runId, devices) => saveRunDevices(database, runId, devices),
    devicesOf: (runId) => readRunDevices(database, runId),
    saveResult: (runId, deviceId, result) =>
      saveRoleResult(database, { runId, deviceId, result, receivedAt: now() }),
    results: (runId) => readResults(database, runId).map((stored) => stored.result),
    storedResults: (runId) => readResults(database, runId),
    series: (runIds, which) =>
      withMeters(database, { runIds, which }, readMetricSeries(database, runIds, which)),

    meterRunTimes: (runId, deviceId) => readMeterRunTimes(database, runId, deviceId),
    saveMeter: (meter) => saveMeterReadings(database, meter, now()),

    saveSummary(runId, { verdicts, metrics, bases = {}, definitions: by = definitionsVersion }) {
      database.transaction(() => {
        const run = required(findRunSummary(database, runId), runId);
        database.run(
          `UPDATE runs SET verdicts_json = :verdicts, flagged = :flagged, bases_json = :bases,
             definitions = :definitions WHERE id = :runId`,
          {
            runId,
            definitions: by,
            verdicts: JSON.stringify(verdicts),
            flagged: verdicts.some((verdict) => verdict.status === 'failed') ? 1 : 0,
            bases: JSON.stringify(bases),
          },
        );
        database.run('DELETE FROM run_metrics WHERE run_id = :runId', { runId });
        for (const [metric, value] of Object.entries(metrics)) {
          database.run('INSERT INTO run_metrics (run_id, metric, value) VALUES (:runId, :metric, :value)', {
            runId,
            metric,
            value: value !== null && Number.isFinite(value) ? value : null,
          });
        }
        if (isSettled(run.status)) recount(database, run.experimentId);
      });
    },

    listOfEarlierDefinitions: (version, limit) => listOfEarlierDefinitions(database, version, limit),
    earliestDefinitions: (experimentId) => earliestDefinitions(database, experimentId),
    markWithoutEvidence: (version) => markWithoutEvidence(database, version),
    markDefined: (runId, version) =>
      void database.run('UPDATE runs SET definitions = :version WHERE id = :runId', { runId, version }),
    noteRedefined: (runId, redefined) =>
      void database.run('UPDATE runs SET redefined_json = :json WHERE id = :runId', {
        runId,
        json: JSON.stringify(redefined),
      }),

    appendLog(entry) {
      appendLogLine(database, entry);
      appended += 1;
      if (appended % pruneEvery === 1) pruneLogLines(database);
    },
    recentLog: (limit) => recentLogLines(database, limit),
    valuesOf: (experimentId, which) => valuesOfExperiment(database, experimentId, which),
    valuesOfSimilar: (similar) => valuesOfSimilar(database, similar),
    latencyHistograms: (runIds) => latencyHistograms(database, runIds),
    countByStatus: () => countRunsByStatus(database),
    logOfExperiment: (experimentId, page) => experimentLogPage(database, experimentId, page),
    timesOf: (runId) => findRunTimes(database, runId),
    logOf: (runId) => runLogLines(database, runId),
    medianOverheadMs: (testbedId) => medianOverheadMs(database, testbedId),
  };
}

const runsAtOnce = 40;

async function* eachRun(database: Database, experimentId: number): AsyncGenerator<RunSummary> {
  for (let after = 0; ; ) {
    const page = listRunPage(database, experimentId, { after, limit: runsAtOnce });
    yield* page;
    after = page.at(-1)?.id ?? after;
    if (page.length < runsAtOnce) return;
    await breathe();
  }
}

async function allRuns(database: Database, experimentId: number): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for await (const run of eachRun(database, experimentId)) runs.push(run);
  return runs;
}

function required<T>(value: T | null, id: number): T {
  if (value === null) throw new RangeError(`there is no run ${id}`);
  return value;
}
