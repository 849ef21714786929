import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { levelOf } from '@mqttlab/shared/analysis/counting-runs';
import { summariseEnvironments } from '@mqttlab/shared/analysis/environment';
import { usualLevel } from '@mqttlab/shared/analysis/estimate';
import { usualMetric } from '@mqttlab/shared/analysis/run-values';
import { mergeHistograms } from '@mqttlab/shared/catalogue/evidence/merge-results';
import { isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import {
  type ComparedTreatment,
  type Comparison,
  comparedId,
  type LatencyBox,
} from '@mqttlab/shared/domain/runs/comparison';
import { marksOf } from '@mqttlab/shared/domain/runs/import-marks';
import type { HistogramJson } from '@mqttlab/shared/domain/runs/role-result';
import { runCode, runName } from '@mqttlab/shared/domain/runs/run';
import type { CompareQuery } from '@mqttlab/shared/messages/http';
import { nameTreatments } from '@mqttlab/shared/planning/name-treatments';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { notFound } from '../base/errors.ts';
import type { ExperimentRecord, ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { LastAttempt } from '../store/runs/metric-values.ts';
import type { RunStore } from '../store/runs/run-store.ts';

/**
 * Returns everything that the compare page needs, from stored summaries. Of the raw data, only the latency
 * histograms are read, for the boxes. The list of runs is read at once; their values are read in pages,
 * yielding to the event loop in between. Rejects with a 404 problem for an unknown number.
 */
export async function makeComparison(stores: AnalysisStores, query: CompareQuery): Promise<Comparison> {
  const { experiments, treatments, failedRuns, excludedRuns } = selectRuns(stores, query);
  const compared: ComparedTreatment[] = [];
  for (const selected of treatments) {
    await yieldToEventLoop();
    compared.push(readTreatment(stores, selected));
  }
  return {
    experiments: experiments.map(({ id, name, status, finishedAt, plan, imported }) => ({
      id,
      name,
      status,
      finishedAt,
      ...marksOf(imported),
      ...(plan ? { response: plan.response, baselineId: comparedId(id, plan.baselineKey) } : {}),
    })),
    treatments: compared,
    flaggedRuns: treatments.flatMap(({ runs }) => runs).filter(({ flagged }) => flagged).length,
    failedRuns,
    excludedRuns,
  };
}

function readTreatment(stores: AnalysisStores, selected: SelectedTreatment): ComparedTreatment {
  const metrics = stores.runs.readRunMetrics(selected.runs.map(({ id }) => id));
  return {
    id: selected.id,
    experimentId: selected.experiment.id,
    treatment: selected.treatment,
    ...levelIn(selected),
    runs: selected.runs.map(({ id, trialNumber, attempt, block, flagged, failed, bases }) => ({
      runId: id,
      name: runName({ trialNumber, attempt }),
      block,
      flagged,
      failed,
      metrics: metrics.get(id) ?? {},
      ...(bases ? { bases } : {}),
    })),
    ...environmentOf(stores, selected),
    ...boxesOf(stores, selected),
  };
}

/**
 * Describes the environment from the first and the last run only, which is enough to show a change, at
 * constant cost.
 */
function environmentOf(
  stores: AnalysisStores,
  { runs }: SelectedTreatment,
): Pick<ComparedTreatment, 'environment'> {
  const ids = runs.map(({ id }) => id).sort((a, b) => a - b);
  const ends = [...new Set([ids[0], ids.at(-1)])].filter((id) => id !== undefined);
  const environment = summariseEnvironments(stores.runs.readEnvironments(ends));
  return Object.keys(environment).length === 0 ? {} : { environment };
}

/** Returns the level only if it is not the default. */
function levelIn({ experiment }: SelectedTreatment): { level?: number } {
  const level = levelOf(experiment.plan);
  return level === usualLevel ? {} : { level };
}

type Boxes = { latency: LatencyBox | null; latencyWithFlagged: LatencyBox | null };

function boxesOf(stores: AnalysisStores, { runs }: SelectedTreatment): Boxes {
  const boxOf = (of: typeof runs): LatencyBox | null => {
    const kinds = new Set(of.map(({ bases }) => bases?.latency));
    const ids = of.map(({ id }) => id);
    if (!kinds.has('round-trip')) return poolLatency(stores.runs.readLatencyHistograms(ids));
    // One-way latencies and round trips are not combined.
    return kinds.size > 1 ? null : poolLatency(ids.flatMap((id) => roundTripsOf(stores, id)));
  };
  const valid = runs.filter((run) => !isFlaggedForId(run, usualMetric));
  const latency = boxOf(valid);
  return { latency, latencyWithFlagged: valid.length === runs.length ? latency : boxOf(runs) };
}

function roundTripsOf(stores: AnalysisStores, runId: number): HistogramJson[] {
  return stores.runs.listRoleResults(runId).flatMap(({ histograms }) => histograms.roundTrip ?? []);
}

/** Returns quantiles over all messages in these histograms, in ms; null without messages. Pure. */
export function poolLatency(histograms: Iterable<HistogramJson>): LatencyBox | null {
  const pooled = mergeHistograms(histograms);
  if (!pooled) return null;
  const histogram = LatencyHistogram.fromJson(pooled);
  const ms = (us: number | null) => (us ?? 0) / 1000;
  return {
    messages: histogram.count,
    p5: ms(histogram.percentile(5)),
    p25: ms(histogram.percentile(25)),
    p50: ms(histogram.percentile(50)),
    p75: ms(histogram.percentile(75)),
    p95: ms(histogram.percentile(95)),
    mean: ms(histogram.meanUs),
  };
}

/** Stores that the analysis reads. */
export interface AnalysisStores {
  experiments: ExperimentStore;
  runs: RunStore;
}

export interface SelectedTreatment {
  /** Id as created by `comparedId`. */
  id: string;
  experiment: ExperimentRecord;
  treatment: Treatment;
  /** Runs that are finished, not excluded, and the counting attempt of their trial. */
  runs: LastAttempt[];
}

export interface Selection {
  experiments: ExperimentRecord[];
  treatments: SelectedTreatment[];
  /** Number of last attempts that failed or were interrupted. */
  failedRuns: number;
  /** Runs that finished but were excluded by a user. */
  excludedRuns: { runId: number; name: string; reason: string }[];
}

/**
 * Resolves the numbers of a comparison. Only the requested metric of each run is read. Throws a 404 problem
 * for an unknown number.
 */
export function selectRuns(
  stores: AnalysisStores,
  query: CompareQuery,
  metric: string | null = null,
): Selection {
  const wanted = query.runs ? new Set(parseIds(query.runs)) : null;
  const experiments = selectedExperiments(stores, query).map((id) => {
    const record = stores.experiments.findExperiment(id);
    if (!record || record.deletedAt !== null) throw notFound('experiment', id);
    return record;
  });
  const selection: Selection = { experiments, treatments: [], failedRuns: 0, excludedRuns: [] };
  for (const experiment of experiments) {
    const runs = stores.runs
      .listLastAttempts(experiment.id, metric)
      .filter((run) => wanted === null || wanted.has(run.id));
    selection.failedRuns += runs.filter(
      ({ status }) => status === 'failed' || status === 'interrupted',
    ).length;
    for (const { id, trialNumber, attempt, status, exclusion } of runs) {
      if (status !== 'done' || !exclusion) continue;
      const named = { experimentId: experiment.id, trialNumber, attempt };
      const name = experiments.length > 1 ? runCode(named) : runName(named);
      selection.excludedRuns.push({ runId: id, name, reason: exclusion.reason });
    }
    const done = Map.groupBy(
      runs.filter(({ status, exclusion }) => status === 'done' && exclusion === null),
      ({ treatmentKey }) => treatmentKey,
    );
    for (const treatment of experiment.plan?.treatments ?? []) {
      const own = done.get(treatment.key) ?? [];
      if (wanted !== null && own.length === 0) continue;
      selection.treatments.push({
        id: comparedId(experiment.id, treatment.key),
        experiment,
        treatment,
        runs: own,
      });
    }
  }
  if (experiments.length > 1) nameTogether(selection.treatments);
  return selection;
}

/**
 * Names treatments in a comparison by everything that differs between them; plans alone omit what they share.
 */
function nameTogether(selected: SelectedTreatment[]): void {
  const names = nameTreatments(selected.map(({ treatment }) => treatment.levels));
  selected.forEach((one, index) => {
    one.treatment = { ...one.treatment, ...names[index] };
  });
}

/**
 * Returns the numbers of the experiments in a comparison, without duplicates. Throws a 404 problem for an
 * unknown run.
 */
export function selectedExperiments(stores: AnalysisStores, query: CompareQuery): number[] {
  const ofRuns = parseIds(query.runs).map((id) => experimentOf(stores, id));
  return [...new Set([...parseIds(query.experiments), ...ofRuns])];
}

function parseIds(text: string | undefined): number[] {
  return text ? text.split(',').map(Number) : [];
}

function experimentOf(stores: AnalysisStores, runId: number): number {
  const experimentId = stores.runs.findExperimentOfRun(runId);
  if (experimentId === null) throw notFound('run', runId);
  return experimentId;
}
