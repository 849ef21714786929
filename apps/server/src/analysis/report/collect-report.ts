import { countingRuns } from '@mqttlab/shared/analysis/counting-runs';
import type { ReportRunData } from '@mqttlab/shared/analysis/report/add-up-runs';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import { isBrokerProcessKnown, machineOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { mergeResults } from '@mqttlab/shared/catalogue/evidence/merge-results';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { asksForStability } from '@mqttlab/studies/studies';
import { conflict, notFound } from '../../base/errors.ts';
import type { AnalysisStores } from '../select-runs.ts';
import { readCompactRuns } from './compact-runs.ts';

export interface ReportQuestion {
  experimentId: number;
  takesFlagged: boolean;
}

/**
 * Reads the summaries of all runs; their results and series are read while the report is made. Rejects with a 404 or 409
 * problem if there is nothing to report on.
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
  const runs = await readCompactRuns(stores.runs.eachOf(id));
  const { name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported } = summary;
  const results = new ResultReader(stores, plan);
  return {
    experiment: { id, name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported },
    plan,
    runs,
    data: results.data(countingRuns(runs, true)),
    series: (runIds, which) => results.series(runIds, which),
    takesFlagged,
    asksForStability: asksForStability(tags),
    software,
  };
}

const runsAtOnce = 50;

class ResultReader {
  readonly #runs: AnalysisStores['runs'];
  readonly #specs: Map<string, Plan['treatments'][number]['spec']>;
  /** Places of the devices of a run among those of their role; runs with one device for each role are absent. */
  readonly #places = new Map<number, Map<string, number>>();

  constructor({ runs }: AnalysisStores, { treatments }: Plan) {
    this.#runs = runs;
    this.#specs = new Map(treatments.map(({ key, spec }) => [key, spec]));
  }

  *data(runs: readonly RunSummary[]): Generator<ReportRunData> {
    for (const { id, treatmentKey } of runs) {
      const stored = this.#runs.storedResults(id, { withSeries: false });
      const results = stored.map(({ result }) => result);
      if (new Set(results.map(({ role }) => role)).size < results.length) {
        this.#places.set(id, new Map(stored.map(({ deviceId }, place) => [deviceId, place])));
      }
      const spec = this.#specs.get(treatmentKey);
      yield dataOf(id, results, !spec || isBrokerProcessKnown({ spec, results }));
    }
  }

  *series(runIds: readonly number[], which: { role: string; metric: string }) {
    for (let at = 0; at < runIds.length; at += runsAtOnce) {
      const found = this.#runs.series(runIds.slice(at, at + runsAtOnce), which);
      yield* found.sort((a, b) => a.runId - b.runId || this.#placeOf(a) - this.#placeOf(b));
    }
  }

  #placeOf({ runId, deviceId }: { runId: number; deviceId: string }): number {
    return this.#places.get(runId)?.get(deviceId) ?? 0;
  }
}

function dataOf(runId: number, results: readonly RoleResult[], isBrokerKnown: boolean): ReportRunData {
  return {
    runId,
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
    radio: results.flatMap(({ role, device, share, radio }) =>
      radio ? [{ role, device, share, radio }] : [],
    ),
    captured: results.flatMap(({ role, device, share, capture }) =>
      capture ? [{ role, device, share, capture }] : [],
    ),
  };
}
