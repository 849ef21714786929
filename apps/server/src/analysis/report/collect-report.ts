import { setImmediate as breathe } from 'node:timers/promises';
import { countingRuns } from '@mqttlab/shared/analysis/counting-runs';
import type { ReportInput, ReportRunData } from '@mqttlab/shared/analysis/report/report-input';
import { seriesKinds } from '@mqttlab/shared/analysis/report/series';
import { machineOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { mergeResults } from '@mqttlab/shared/catalogue/evidence/merge-results';
import { conflict, notFound } from '../../errors.ts';
import type { AnalysisStores } from '../stores.ts';

export interface CollectOptions {
  takesFlagged: boolean;
  software: string;
  signal: AbortSignal;
}

/**
 * Reads everything a report needs, one Run at a time with a pause between them, so that others are served meanwhile.
 * Throws a 404 or 409 problem where there is nothing to report on, and the reason of `signal`.
 */
export async function collectReport(
  stores: AnalysisStores,
  id: number,
  { takesFlagged, software, signal }: CollectOptions,
): Promise<ReportInput> {
  const record = stores.experiments.find(id);
  const summary = stores.experiments.summary(id);
  if (!record || !summary || record.deletedAt !== null) throw notFound('experiment', id);
  const { plan } = record;
  if (!plan) throw conflict(`Experiment ${id} is a draft: it has no runs to report on.`, 'Start it first.');
  const runs = await stores.runs.allOf(id);
  const data: ReportRunData[] = [];
  for (const run of countingRuns(runs, takesFlagged)) {
    signal.throwIfAborted();
    data.push(dataOf(stores, run.id));
    await breathe();
  }
  const { name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported } = summary;
  return {
    experiment: { id, name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported },
    plan,
    runs,
    data,
    takesFlagged,
    software,
  };
}

function dataOf(stores: AnalysisStores, runId: number): ReportRunData {
  const results = stores.runs.results(runId);
  return {
    runId,
    series: results.flatMap(({ role, series }) =>
      series
        .filter(({ metric }) => seriesKinds.some((kind) => kind.role === role && kind.metric === metric))
        .map((own) => ({ role, series: own })),
    ),
    latency: results.flatMap(({ role, latency }) => (role === 'subscriber' && latency ? [latency] : [])),
    phases: mergeResults(results.filter(({ role }) => role === 'publisher'))?.phases ?? [],
    rolePhases: [...new Set(results.map(({ role }) => role))].map((role) => ({
      role,
      phases: mergeResults(results.filter((result) => result.role === role))?.phases ?? [],
    })),
    energy: results.flatMap((result) =>
      result.energy ? [{ role: result.role, energy: result.energy, machine: machineOf(result) }] : [],
    ),
  };
}
