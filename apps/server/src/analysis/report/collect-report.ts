import { setImmediate as breathe } from 'node:timers/promises';
import { countingRuns } from '@mqttlab/shared/analysis/counting-runs';
import type { ReportInput, ReportRunData } from '@mqttlab/shared/analysis/report/report-input';
import { seriesKinds } from '@mqttlab/shared/analysis/report/series';
import type { CapturedRun } from '@mqttlab/shared/catalogue/evidence/capture-evidence';
import { isBrokerProcessKnown, machineOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { mergeResults } from '@mqttlab/shared/catalogue/evidence/merge-results';
import type { RadioResult } from '@mqttlab/shared/catalogue/evidence/radio-evidence';
import { failedIds, isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { asksForStability } from '@mqttlab/studies/studies';
import { conflict, notFound } from '../../base/errors.ts';
import type { AnalysisStores } from '../select-runs.ts';

export interface ReportQuestion {
  experimentId: number;
  takesFlagged: boolean;
}

/**
 * Reads everything a report needs, one run at a time with a pause between them, so that others are served meanwhile.
 * Rejects with a 404 or 409 problem if there is nothing to report on.
 */
export async function collectReport(
  stores: AnalysisStores,
  { experimentId: id, takesFlagged, software }: ReportQuestion & { software: string },
): Promise<ReportInput> {
  const record = stores.experiments.find(id);
  const summary = stores.experiments.summary(id);
  if (!record || !summary || record.deletedAt !== null) throw notFound('experiment', id);
  const { plan } = record;
  if (!plan) {
    throw conflict(`Experiment ${id} is a draft: it has no runs to report on.`, 'Start it first.');
  }
  const runs = await stores.runs.allOf(id);
  const data: ReportRunData[] = [];
  const radio: RadioResult[] = [];
  const captured: CapturedRun[] = [];
  const specs = new Map(plan.treatments.map(({ key, spec }) => [key, spec]));
  for (const run of countingRuns(runs, true)) {
    const results = stores.runs.results(run.id);
    const spec = specs.get(run.treatmentKey);
    const isBrokerKnown = !spec || isBrokerProcessKnown({ spec, results });
    data.push(dataOf(run.id, results, isBrokerKnown));
    const isFirst = !captured.some(({ treatmentKey }) => treatmentKey === run.treatmentKey);
    // Packets are flagged where their bytes are: a busy CPU changes neither.
    const failed = failedIds(run.verdicts);
    const shows = takesFlagged || !isFlaggedForId({ flagged: run.flagged, failed }, 'wire.perMessage');
    for (const { role, device, share, ...result } of results) {
      if (result.radio) radio.push({ role, device, share, radio: result.radio });
      if (result.capture && isFirst && shows) {
        captured.push({ treatmentKey: run.treatmentKey, role, device, share, capture: result.capture });
      }
    }
    await breathe();
  }
  const { name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported } = summary;
  return {
    experiment: { id, name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported },
    plan,
    runs,
    data,
    radio,
    captured,
    takesFlagged,
    asksForStability: asksForStability(tags),
    software,
  };
}

function dataOf(runId: number, results: readonly RoleResult[], isBrokerKnown: boolean): ReportRunData {
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
      result.energy && (isBrokerKnown || result.role !== 'broker')
        ? [{ role: result.role, energy: result.energy, machine: machineOf(result) }]
        : [],
    ),
  };
}
