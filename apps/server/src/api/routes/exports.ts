import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { factors } from '@mqttlab/shared/catalogue/factors';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { marksOf } from '@mqttlab/shared/domain/runs/import-marks';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { type CsvValue, csvLine, isoTime, makeCsv } from '../../base/csv.ts';
import { environmentCells, environmentColumns } from '../../exchange/experiment-tables.ts';
import type { AnswerOf } from '../../results/answer-work.ts';
import type { ExperimentRecord } from '../../store/experiments/experiment-store.ts';
import { type Caller, fileNameOf, on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { markSuffix, recordOf } from '../start-experiment.ts';

type MetricResult = AnswerOf<'results'>[number];

/**
 * Exports the runs in an experiment as files, streamed from the database: only a few runs are in memory at a
 * time.
 */
export function exportRoutes(services: Services): Route[] {
  const resultsOf = async (id: number, { signal }: Caller): Promise<MetricResult[]> => {
    const results = await services.answers.getAnswer('results', id, { experimentIds: [id], signal });
    return results.parse();
  };
  return [
    on('GET /experiments/{id}/runs.csv', async ({ params: { id } }) => {
      const record = recordOf(services, id, { live: false });
      return {
        name: fileNameOf(`E-${id}${markSuffix(record)}-runs`, record.name, 'csv'),
        body: Readable.from(runsCsv(services, record)),
      };
    }),
    on('GET /experiments/{id}/runs.json', async ({ params: { id }, caller }) => {
      const { name, draft, plan, imported } = recordOf(services, id, { live: false });
      const results = await resultsOf(id, caller);
      const findings = results.map(({ metric, findings: found }) => ({ metric: metric.id, findings: found }));
      const experiment = { id, name, ...marksOf(imported) };
      const document = { experiment, draft, plan, runs: services.stores.runs.eachRun(id), findings };
      return {
        name: fileNameOf(`E-${id}${markSuffix({ imported })}-runs`, name, 'json'),
        body: Readable.from(runsJson(services, document)),
      };
    }),
    on('GET /experiments/{id}/contrasts.csv', async ({ params: { id }, caller }) => {
      const { name, imported } = recordOf(services, id, { live: false });
      return {
        name: fileNameOf(`E-${id}${markSuffix({ imported })}-contrasts`, name, 'csv'),
        body: contrastsCsv(await resultsOf(id, caller)),
      };
    }),
  ];
}

const contrastHeader = [
  'metric',
  'unit',
  'treatment',
  'baseline',
  'scale',
  'value',
  'from',
  'to',
  'difference_in_units',
  'p_holm',
  'hedges_g',
  'outcome',
  'method',
  'runs',
  'unpaired_runs',
];

/**
 * Returns contrasts as CSV. Scale "ratio": treatment divided by baseline, 1 if they are equal. Scale
 * "difference": in the unit, 0 if they are equal.
 */
function contrastsCsv(results: readonly MetricResult[]): string {
  return makeCsv(
    contrastHeader,
    results.flatMap(({ metric, contrasts }) =>
      contrasts.map((one): CsvValue[] => [
        metric.id,
        metric.unit,
        one.treatment,
        one.baseline,
        one.scale,
        one.value,
        one.lo,
        one.hi,
        one.inUnits,
        one.p,
        one.hedgesG,
        one.outcome,
        one.method,
        one.runs,
        one.unpaired,
      ]),
    ),
  );
}

/** Yields one row per run; the column names of metrics include the unit: "latency.p50 [ms]". */
async function* runsCsv(
  services: Services,
  { id, plan, imported }: ExperimentRecord,
): AsyncGenerator<string> {
  const counting = services.stores.runs.listCountingIds(id);
  const treatments = new Map(plan?.treatments.map((treatment) => [treatment.key, treatment]));
  const header = [
    'run',
    'experiment',
    'trial',
    'repetition',
    'attempt',
    'retry_of',
    'status',
    'flagged',
    'counts',
    'started_at',
    'finished_at',
    'failure',
    ...environmentColumns,
    'foreign',
    'treatment',
    ...factors.map(({ id }) => id),
    ...metrics.map(({ id, unit }) => (unit === '' ? id : `${id} [${unit}]`)),
  ];
  yield csvLine(header);
  const rowOf = (run: RunSummary): CsvValue[] => {
    const treatment = treatments.get(run.treatmentKey);
    return [
      run.id,
      run.experimentId,
      run.trialNumber,
      run.block,
      run.attempt,
      run.retryOf,
      run.status,
      run.flagged,
      counting.has(run.id),
      isoTime(run.startedAt),
      isoTime(run.finishedAt),
      run.failure?.message ?? null,
      ...Object.values(environmentCells(services.stores, run.id)),
      imported?.foreign?.tool ?? null,
      treatment?.label ?? null,
      ...factors.map(({ id }) => treatment?.levels[id] ?? null),
      ...metrics.map(({ id }) => run.metrics[id] ?? null),
    ];
  };
  for await (const run of services.stores.runs.eachRun(id)) {
    yield csvLine(rowOf(run));
    await yieldToEventLoop();
  }
}

/** Yields JSON indented by one space per level, trial by trial and run by run. */
async function* runsJson(
  services: Services,
  { plan, runs, findings, ...head }: RunsDocument,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head, null, 1).slice(0, -2)},\n "plan": `;
  if (plan === null) yield 'null';
  else {
    const { trials, ...design } = plan;
    yield `${JSON.stringify(design, null, 1).slice(0, -2).replaceAll('\n', '\n ')},\n  "trials": [`;
    for (const [index, trial] of trials.entries()) {
      yield `${index === 0 ? '' : ','}\n   ${JSON.stringify(trial, null, 1).replaceAll('\n', '\n   ')}`;
      if (index % trialsAtOnce === 0) await yieldToEventLoop();
    }
    yield '\n  ]\n }';
  }
  yield ',\n "runs": [';
  let written = 0;
  for await (const run of runs) {
    const entry = { ...run, environment: environmentCells(services.stores, run.id) };
    yield `${written === 0 ? '' : ','}\n  ${JSON.stringify(entry, null, 1).replaceAll('\n', '\n  ')}`;
    written += 1;
    await yieldToEventLoop();
  }
  const rest = JSON.stringify(findings, null, 1).replaceAll('\n', '\n ');
  yield `${written === 0 ? ']' : '\n ]'},\n "findings": ${rest}\n}\n`;
}

const trialsAtOnce = 100;

interface RunsDocument {
  runs: AsyncIterable<RunSummary>;
  findings: readonly unknown[];
  experiment: unknown;
  draft: unknown;
  plan: Plan | null;
}
