import { factors } from '@mqttlab/shared/catalogue/factors';
import { failedIds, isFlaggedFor } from '@mqttlab/shared/catalogue/flags';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { AnalysisStores } from '../analysis/select-runs.ts';
import { isoTime } from '../base/csv.ts';
import type { DataColumn, DataTable, DataValue } from './data-table.ts';
import { environmentCells, environmentColumns } from './environment-columns.ts';

const text = (name: string): DataColumn => ({ name, type: 'STRING' });
const whole = (name: string): DataColumn => ({ name, type: 'INT32' });

/** One row for each Run and metric that it carries; every attempt, with what tells whether it counts. */
export function valueTable(stores: AnalysisStores, id: number): DataTable {
  const plan = stores.experiments.find(id)?.plan ?? null;
  return {
    columns: [
      ...['experiment', 'run', 'trial', 'repetition', 'attempt'].map(whole),
      text('status'),
      { name: 'flagged', type: 'BOOLEAN' },
      text('excluded'),
      { name: 'counts', type: 'BOOLEAN' },
      text('treatment'),
      ...factors.map((factor) => text(factor.id)),
      ...['metric', 'quantity', 'unit'].map(text),
      { name: 'value', type: 'DOUBLE' },
      ...environmentColumns.map(text),
      text('started_at'),
    ],
    async *parts() {
      const counting = stores.runs.countingIds(id);
      for await (const run of stores.runs.eachOf(id)) {
        const { experimentId, id: runId, trialNumber, block, attempt, status, exclusion } = run;
        const head = [experimentId, runId, trialNumber, block, attempt, status];
        const tail = [exclusion?.reason ?? null, counting.has(run.id), ...levelCells(plan, run)];
        const environment = [...Object.values(environmentCells(stores, runId)), isoTime(run.startedAt)];
        const judged = { flagged: run.flagged, failed: failedIds(run.verdicts) };
        yield metrics.flatMap((metric) => {
          const { id: name, quantity, unit } = metric;
          const value = run.metrics[name];
          if (value === null || value === undefined) return [];
          // Whether a failed verdict matters for this very value.
          return [
            [...head, isFlaggedFor(judged, metric), ...tail, name, quantity, unit, value, ...environment],
          ];
        });
      }
    },
  };
}

/** One row for each sample of each series of each Run that has results. */
export function sampleTable(stores: AnalysisStores, id: number): DataTable {
  const plan = stores.experiments.find(id)?.plan ?? null;
  return {
    columns: [
      ...['experiment', 'run', 'repetition'].map(whole),
      ...['treatment', 'role', 'device', 'metric', 'unit'].map(text),
      { name: 'time_ms', type: 'DOUBLE' },
      { name: 'value', type: 'DOUBLE' },
    ],
    async *parts() {
      for await (const run of stores.runs.eachOf(id)) {
        const treatment = labelOf(plan, run);
        const rows: DataValue[][] = [];
        for (const { deviceId, result } of stores.runs.storedResults(run.id)) {
          for (const { metric, unit, timesMs, values } of result.series) {
            const head = [
              run.experimentId,
              run.id,
              run.block,
              treatment,
              result.role,
              deviceId,
              metric,
              unit,
            ];
            for (const [index, value] of values.entries())
              rows.push([...head, timesMs[index] ?? null, value]);
          }
        }
        yield rows;
      }
    },
  };
}

function levelCells(plan: Plan | null, run: RunSummary): DataValue[] {
  const levels = plan?.treatments.find(({ key }) => key === run.treatmentKey)?.levels ?? {};
  return [
    labelOf(plan, run),
    ...factors.map(({ id }) => {
      const level = levels[id];
      return level === null || level === undefined ? null : String(level);
    }),
  ];
}

function labelOf(plan: Plan | null, { treatmentKey }: RunSummary): string {
  return plan?.treatments.find(({ key }) => key === treatmentKey)?.label ?? treatmentKey;
}
