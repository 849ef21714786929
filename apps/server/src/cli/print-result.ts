import { contrastTreatments, estimateTreatments } from '@mqttlab/shared/analysis/contrasts';
import { type JudgedThreshold, judgeThresholds } from '@mqttlab/shared/analysis/judge-thresholds';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { type Comparison, comparisonSchema } from '@mqttlab/shared/domain/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/experiment';
import type { MetricDefinition } from '@mqttlab/shared/domain/metric';
import { formatInterval, type IntervalValue } from '@mqttlab/shared/format/interval';
import { formatP } from '@mqttlab/shared/format/quantity';
import type { CommandContext } from './context.ts';
import { renderTable } from './table.ts';

/** Columns beside the plan's own response. */
const companions = [
  'latency.p95',
  'setUp.total',
  'cpuPerMessage.publisher',
  'cpuPerMessage.broker',
  'count.lost',
];

/**
 * The comparison table with 95 % intervals, thresholds, and why runs failed; as one JSON document with --json.
 * Resolves with the thresholds of the plan as they were judged.
 */
export async function printResult(
  context: CommandContext,
  experiment: ExperimentDetail,
): Promise<JudgedThreshold[]> {
  const { api, args, print } = context;
  if (experiment.plan === null) {
    if (args.json) print(JSON.stringify({ experiment }));
    else print(`E-${experiment.id} ${experiment.name}: a draft, nothing was run.`);
    return [];
  }
  const comparison = await api.call({
    method: 'GET',
    path: `/compare?experiments=${experiment.id}`,
    response: comparisonSchema,
  });
  const thresholds = judgeThresholds(experiment.plan, comparison);
  if (args.json) {
    const judged = thresholds.map(({ treatment, ...rest }) => ({ ...rest, treatment: treatment.id }));
    print(JSON.stringify({ event: 'result', experiment, comparison, thresholds: judged }));
    return thresholds;
  }
  print('');
  print(`E-${experiment.id} ${experiment.name}`);
  print(comparisonTable(comparison, experiment.plan.response));
  print(footnote(comparison, experiment));
  if (thresholds.length > 0) print(`\n${thresholdTable(thresholds)}`);
  for (const run of experiment.runs.filter((entry) => entry.failure !== null)) {
    print(`run ${run.id} ${run.status}: ${run.failure?.message} ${run.failure?.remedy}`);
  }
  return thresholds;
}

function thresholdTable(thresholds: readonly JudgedThreshold[]): string {
  return renderTable(
    [{ head: 'Threshold' }, { head: 'Treatment' }, { head: 'Measured', align: 'right' }, { head: 'Outcome' }],
    thresholds.map(({ rule, treatment, measured, outcome }) => [
      rule,
      treatment.treatment.shortLabel,
      measured,
      outcome,
    ]),
  );
}

function comparisonTable(comparison: Comparison, response: string): string {
  const chosen = [response, ...companions.filter((id) => id !== response)].flatMap(
    (id) => findMetric(id) ?? [],
  );
  const columns = [
    { head: 'Treatment' },
    { head: 'Runs', align: 'right' as const },
    ...chosen.map((metric) => ({ head: `${metric.label}, ${metric.unit}`, align: 'right' as const })),
    { head: 'Ratio to baseline', align: 'right' as const },
  ];
  const cells = new Map(chosen.map((metric) => [metric.id, intervalsOf(comparison, metric)]));
  const ratios = ratiosOf(comparison, response);
  return renderTable(
    columns,
    comparison.treatments.map((entry) => [
      entry.treatment.shortLabel,
      String(entry.runs.filter((run) => !run.flagged).length),
      ...chosen.map((metric) => cells.get(metric.id)?.get(entry.id) ?? ''),
      ratios.get(entry.id) ?? 'baseline',
    ]),
  );
}

function intervalsOf(comparison: Comparison, metric: MetricDefinition): Map<string, string> {
  const estimates = estimateTreatments(comparison.treatments, { metric: metric.id, flagged: false });
  return new Map(
    estimates.map(({ treatment, interval }) => [
      treatment.id,
      interval.mean === null ? 'not measured' : inWords(interval.mean, interval),
    ]),
  );
}

function ratiosOf(comparison: Comparison, metric: string): Map<string, string> {
  const contrasts = contrastTreatments({
    treatments: comparison.treatments,
    baselineId: comparison.treatments[0]?.id ?? '',
    metric,
    flagged: false,
  });
  return new Map(
    contrasts.map(({ treatment, ratio, p }) => [
      treatment.id,
      ratio === null
        ? 'not resolved'
        : `×${inWords(ratio.ratio, ratio)}${p === null ? '' : `, p ${formatP(p)}`}`,
    ]),
  );
}

/** "18.4 [17.9, 18.8]": the unit stands in the head. */
function inWords(value: number, { lo, hi }: { lo: number | null; hi: number | null }): string {
  const interval: IntervalValue = lo === null || hi === null ? { value } : { value, lo, hi };
  return formatInterval(interval, { unitInHead: true }).text;
}

function footnote(comparison: Comparison, { progress, plan }: ExperimentDetail): string {
  const left = comparison.flaggedRuns > 0 ? `; ${comparison.flaggedRuns} flagged runs left out` : '';
  return (
    `Means over runs with 95 % t intervals; p after Holm. ${progress.done} of ${progress.trials} trials done${left}. ` +
    `Order ${plan?.order}, seed ${plan?.seed}.`
  );
}
