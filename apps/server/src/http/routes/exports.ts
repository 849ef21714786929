import { Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Result } from '@mqttlab/shared/analysis/result';
import { factors } from '@mqttlab/shared/catalogue/factors';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { countingAttempts } from '@mqttlab/shared/domain/runs/run';
import { resultsOfRuns } from '../../analysis/finish-run.ts';
import { type CsvValue, csvLine, makeCsv } from '../../base/csv.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';
import { fileNameOf } from '../send.ts';
import { recordOf } from '../start-experiment.ts';

/** The runs of an experiment as files. */
export function exportRoutes(parts: ApiParts): Route[] {
  return [
    on('GET /experiments/{id}/runs.csv', async ({ params: { id } }) => {
      const { name, plan } = recordOf(parts, id, { live: false });
      return {
        name: fileNameOf(`E-${id}-runs`, name, 'csv'),
        body: Readable.from(runsCsv(plan, await parts.runs.allOf(id))),
      };
    }),
    on('GET /experiments/{id}/runs.json', async ({ params: { id } }) => {
      const { name, draft, plan } = recordOf(parts, id, { live: false });
      const runs = await parts.runs.allOf(id);
      const findings = plan
        ? resultsOfRuns(id, plan, runs).map((result) => ({
            metric: result.metric.id,
            findings: result.findings.map(({ kind, text }) => ({ kind, text })),
          }))
        : [];
      const document = { experiment: { id, name }, draft, plan, runs, findings };
      return { name: fileNameOf(`E-${id}-runs`, name, 'json'), body: Readable.from(runsJson(document)) };
    }),
    on('GET /experiments/{id}/contrasts.csv', async ({ params: { id } }) => {
      const { name, plan } = recordOf(parts, id, { live: false });
      return {
        name: fileNameOf(`E-${id}-contrasts`, name, 'csv'),
        body: contrastsCsv(plan ? resultsOfRuns(id, plan, await parts.runs.allOf(id)) : []),
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

/** Scale "ratio": treatment over baseline, 1 where they are equal; "difference": in the unit, 0 where they are. */
function contrastsCsv(results: readonly Result[]): string {
  return makeCsv(
    contrastHeader,
    results.flatMap(({ metric, contrasts }) =>
      contrasts.map((one): CsvValue[] => [
        metric.id,
        metric.unit,
        one.treatment.treatment.label,
        one.baseline.treatment.label,
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

/** Column names of metrics carry the unit: "latency.p50 [ms]". */
async function* runsCsv(plan: Plan | null, runs: readonly RunSummary[]): AsyncGenerator<string> {
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
    'treatment',
    ...factors.map(({ id }) => id),
    ...metrics.map(({ id, unit }) => (unit === '' ? id : `${id} [${unit}]`)),
  ];
  const counting = new Set(countingAttempts(runs));
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
      counting.has(run),
      isoTime(run.startedAt),
      isoTime(run.finishedAt),
      run.failure?.message ?? null,
      treatment?.label ?? null,
      ...factors.map(({ id }) => treatment?.levels[id] ?? null),
      ...metrics.map(({ id }) => run.metrics[id] ?? null),
    ];
  };
  for (const run of runs) {
    yield csvLine(rowOf(run));
    await breathe();
  }
}

/** As JSON with one space before each level, run by run. */
async function* runsJson({ runs, findings, ...head }: RunsDocument): AsyncGenerator<string> {
  yield `${JSON.stringify(head, null, 1).slice(0, -2)},\n "runs": [`;
  for (const [index, run] of runs.entries()) {
    yield `${index === 0 ? '' : ','}\n  ${JSON.stringify(run, null, 1).replaceAll('\n', '\n  ')}`;
    await breathe();
  }
  const rest = JSON.stringify(findings, null, 1).replaceAll('\n', '\n ');
  yield `${runs.length === 0 ? ']' : '\n ]'},\n "findings": ${rest}\n}\n`;
}

interface RunsDocument {
  runs: readonly RunSummary[];
  findings: readonly unknown[];
  experiment: unknown;
  draft: unknown;
  plan: unknown;
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
