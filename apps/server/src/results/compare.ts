import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { levelOf } from '@mqttlab/shared/analysis/counting-runs';
import { summariseEnvironments } from '@mqttlab/shared/analysis/environment';
import { usualLevel } from '@mqttlab/shared/analysis/estimate';
import { usualMetric } from '@mqttlab/shared/analysis/run-values';
import { mergeHistograms } from '@mqttlab/shared/catalogue/evidence/merge-results';
import { isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import {
  type ComparedTreatment,
  type Comparison,
  comparedId,
  type LatencyBox,
} from '@mqttlab/shared/domain/runs/comparison';
import { marksOf } from '@mqttlab/shared/domain/runs/import-marks';
import type { HistogramJson } from '@mqttlab/shared/domain/runs/role-result';
import { runName } from '@mqttlab/shared/domain/runs/run';
import type { CompareQuery } from '@mqttlab/shared/messages/http';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { type AnalysisStores, type SelectedTreatment, selectRuns } from './select-runs.ts';

/**
 * Returns everything that the compare page needs, from stored summaries; of the raw data only the latency histograms
 * are read, for the boxes. The list of runs is read at once; their values are read in pages, yielding to the event loop
 * in between. Rejects with a 404 problem for an unknown number.
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

/** From the first and the last run only: enough to show a change, at constant cost. */
function environmentOf(
  stores: AnalysisStores,
  { runs }: SelectedTreatment,
): Pick<ComparedTreatment, 'environment'> {
  const ids = runs.map(({ id }) => id).sort((a, b) => a - b);
  const ends = [...new Set([ids[0], ids.at(-1)])].filter((id) => id !== undefined);
  const environment = summariseEnvironments(stores.runs.readEnvironments(ends));
  return Object.keys(environment).length === 0 ? {} : { environment };
}

/** Only if it is not the default. */
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

/** Quantiles over all messages of these histograms, in ms; null without messages. Pure. */
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
