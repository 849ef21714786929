import type { Contrast } from '@mqttlab/shared/analysis/contrasts';
import { flaggedCount } from '@mqttlab/shared/analysis/flagged-runs';
import { type JudgedThreshold, judgeThresholds } from '@mqttlab/shared/analysis/judge-thresholds';
import { figureOf, type Result, resultOf } from '@mqttlab/shared/analysis/result';
import { usualBaseline } from '@mqttlab/shared/analysis/run-values';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { runName } from '@mqttlab/shared/domain/runs/run';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import { formatInterval, type IntervalValue } from '@mqttlab/shared/format/interval';
import { plural } from '@mqttlab/shared/format/number';
import { formatP } from '@mqttlab/shared/format/quantity';
import type { CommandContext } from './cli.ts';
import { type OutcomeFiles, writeOutcomeFiles } from './outcome-files.ts';
import { renderTable, type Table } from './terminal.ts';

/** Columns shown in addition to the plan's response. */
const companions = [
  'latency.p95',
  'setUp.total',
  'cpuPerMessage.publisher',
  'cpuPerMessage.broker',
  'count.lost',
];

interface ResultOptions {
  /** Experiment with which thresholds "of: baseline" are compared. */
  baselineId?: number | null;
  files?: OutcomeFiles;
}

/**
 * Prints the comparison table with 95 % intervals, the thresholds, and the reasons why runs failed; with
 * --json, prints one JSON document. Resolves with the plan's judged thresholds.
 */
export async function printResult(
  context: CommandContext,
  experiment: ExperimentDetail,
  { baselineId = null, files }: ResultOptions = {},
): Promise<JudgedThreshold[]> {
  const { api, json, print } = context;
  if (experiment.plan === null) {
    if (json) print(JSON.stringify({ experiment }));
    else print(`E-${experiment.id} ${experiment.name}: a draft; nothing has been run.`);
    return [];
  }
  const comparison = await api.call('GET /compare', { query: { experiments: experiment.id } });
  const reference =
    baselineId === null ? null : await api.call('GET /compare', { query: { experiments: baselineId } });
  const thresholds = judgeThresholds(experiment.plan, comparison, reference?.treatments);
  const { response } = experiment.plan;
  const sentences = findingsOf(comparison, response);
  const compared = comparisonTable(comparison, response);
  const judgedTable = thresholdTable(thresholds);
  const tables = thresholds.length > 0 ? [compared, judgedTable] : [compared];
  if (files) await writeOutcomeFiles(files, { experiment, thresholds, sentences, tables });
  if (json) {
    const judged = thresholds.map(({ treatment, ...rest }) => ({ ...rest, treatment: treatment.id }));
    print(
      JSON.stringify({ event: 'result', experiment, comparison, findings: sentences, thresholds: judged }),
    );
    return thresholds;
  }
  print('');
  print(`E-${experiment.id} ${experiment.name}`);
  print(renderTable(compared.columns, compared.rows));
  for (const sentence of sentences) print(sentence);
  print(footnote(comparison, experiment));
  if (thresholds.length > 0) print(`\n${renderTable(judgedTable.columns, judgedTable.rows)}`);
  for (const run of experiment.runs.filter((entry) => entry.failure !== null)) {
    print(`${runName(run)} ${run.status}: ${run.failure?.message} ${run.failure?.remedy}`);
  }
  return thresholds;
}

/** Returns the findings about the response, identical to those on the web pages. */
export function findingsOf(comparison: Comparison, response: string): string[] {
  const metric = findMetric(response);
  return metric ? resultFor(comparison, metric).findings.map(({ text }) => text) : [];
}

function thresholdTable(thresholds: readonly JudgedThreshold[]): Table {
  return {
    columns: [
      { head: 'Threshold' },
      { head: 'Treatment' },
      { head: 'Measured', align: 'right' },
      { head: 'Outcome' },
    ],
    rows: thresholds.map(({ rule, treatment, measured, outcome }) => [
      rule,
      treatment.treatment.shortLabel,
      measured,
      outcome,
    ]),
  };
}

export function comparisonTable(comparison: Comparison, response: string): Table {
  const chosen = [response, ...companions.filter((id) => id !== response)].flatMap(
    (id) => findMetric(id) ?? [],
  );
  const columns = [
    { head: 'Treatment' },
    { head: 'Runs', align: 'right' as const },
    ...chosen.map((metric) => ({ head: `${metric.label}, ${metric.unit}`, align: 'right' as const })),
    { head: 'Against the baseline', align: 'right' as const },
  ];
  const results = new Map(chosen.map((metric) => [metric.id, resultFor(comparison, metric)]));
  const contrasts = new Map(
    results.get(response)?.contrasts.map((contrast) => [contrast.treatment.id, contrast]),
  );
  return {
    columns,
    rows: comparison.treatments.map((entry) => [
      entry.treatment.shortLabel,
      String(entry.runs.filter((run) => !run.flagged).length),
      ...chosen.map(({ id }) => estimateWords(results.get(id), entry.id)),
      contrastWords(contrasts.get(entry.id), findMetric(response)),
    ]),
  };
}

function resultFor(comparison: Comparison, metric: MetricDefinition): Result {
  const { treatments } = comparison;
  return resultOf({ treatments, baselineId: usualBaseline(comparison), metric, flagged: false });
}

function estimateWords(result: Result | undefined, id: string): string {
  const found = result?.estimates.find(({ treatment }) => treatment.id === id);
  if (!result || !found) return 'not measured';
  const { value, lo, hi, n, isConstant } = found.estimate;
  if (value === null) return flaggedCount(found.treatment, result.metric) ?? 'not measured';
  if (isConstant) return inWords(value, { lo: null, hi: null });
  return `${inWords(value, { lo, hi })}${lo === null ? ` (n = ${n})` : ''}`;
}

/** Returns for example "+4.1 % [2.9, 5.3], p 0.003". */
function contrastWords(contrast: Contrast | undefined, metric: MetricDefinition | undefined): string {
  if (!contrast || !metric) return 'baseline';
  const figure = figureOf(contrast, metric);
  const judged = contrast.p === null ? '' : `, p ${formatP(contrast.p)}`;
  const { treatment, baseline } = contrast;
  const against =
    treatment.experimentId === baseline.experimentId ? '' : `, against E-${baseline.experimentId}`;
  return `${figure}${judged}${contrast.outcome === 'exact' ? ', the same in every run' : ''}${against}`;
}

/** Returns for example "18.4 [17.9, 18.8]", without the unit, which is in the header. */
function inWords(value: number, { lo, hi }: { lo: number | null; hi: number | null }): string {
  const interval: IntervalValue = lo === null || hi === null ? { value } : { value, lo, hi };
  return formatInterval(interval, { unitInHead: true }).text;
}

function footnote(comparison: Comparison, { progress, plan }: ExperimentDetail): string {
  const left =
    comparison.flaggedRuns > 0
      ? `; ${plural(comparison.flaggedRuns, 'flagged run')}, excluded from the affected metrics`
      : '';
  return (
    `Geometric means over runs (arithmetic means for counts and shares) with 95 % t intervals; Holm-adjusted p-values. ${progress.done} of ${progress.trials} trials done${left}. ` +
    `Order ${plan?.order}, seed ${plan?.seed}.`
  );
}
