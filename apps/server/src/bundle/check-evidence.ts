import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { metrics, summariseMetrics } from '@mqttlab/shared/catalogue/metrics';
import { judgeRun } from '@mqttlab/shared/catalogue/verdicts';
import { deliveriesOf, isCoap, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { type RunSummary, runName } from '@mqttlab/shared/domain/runs/run';
import type { RunEvidence } from '@mqttlab/shared/domain/runs/verdict';

/** A value of a run that its evidence does not support. */
export interface Difference {
  /** "run 12" */
  run: string;
  /** Id of a metric or a verdict, or the place of an impossible value. */
  what: string;
  /** "stated as 0.6, but 0.2 by the results of its devices" */
  reason: string;
}

interface StatedRun {
  run: Pick<
    RunSummary,
    'trialNumber' | 'attempt' | 'status' | 'flagged' | 'metrics' | 'verdicts' | 'seriesRemovedAt'
  >;
  results: readonly RoleResult[];
  spec: TrialSpec;
  /** Version of the definitions that the metrics were computed by. */
  definitions: number;
}

/** Larger relative differences are not rounding. */
const rounding = 1e-9;

/**
 * Every value of a run that is impossible, or differs from what its evidence gives by the same definitions. Other
 * definitions may give other values: then only impossible ones are found. Pure.
 */
export function checkEvidence(stated: StatedRun): Difference[] {
  const run = runName(stated.run);
  const place = ([what, reason]: [string, string]): Difference => ({ run, what, reason });
  const impossible = [...impossibleValues(stated), ...impossibleResults(stated)];
  // Results that contradict themselves have no metrics to compare.
  const broken = impossible.some(([what]) => !(what in stated.run.metrics));
  return [...impossible, ...(broken ? [] : differences(stated))].map(place);
}

function* differences({ run, results, spec, definitions }: StatedRun): Generator<[string, string]> {
  const isStated = Object.values(run.metrics).some((value) => value !== null);
  if (results.length === 0) {
    if (isStated) yield ['results', 'has metrics, but the bundle contains no results of its devices'];
    return;
  }
  if (definitions !== definitionsVersion || run.status !== 'done') return;
  const evaluated = evaluate({ spec, results });
  if ('reason' in evaluated) {
    yield ['results', `cannot be evaluated: ${evaluated.reason}`];
    return;
  }
  const { computed, judged } = evaluated;
  // Metrics of removed series cannot be computed again.
  const isWhole = run.seriesRemovedAt === undefined;
  for (const { id } of metrics) {
    const was = run.metrics[id] ?? null;
    const found = computed[id] ?? null;
    const now = found !== null && Number.isFinite(found) ? found : null;
    if (isEqual(was, now) || (now === null && !isWhole)) continue;
    yield [
      id,
      `is stated as ${was ?? 'not measured'}, but ${now ?? 'not measured'} by the results of its devices`,
    ];
  }
  if (!isWhole) return;
  for (const { id, status } of judged) {
    const was = run.verdicts.find((verdict) => verdict.id === id)?.status ?? 'not stated';
    if (was !== status) yield [id, `is stated as ${was}, but ${status} by the results of its devices`];
  }
  const isFlagged = judged.some(({ status }) => status === 'failed');
  if (run.flagged !== isFlagged)
    yield ['flagged', `is stated as ${run.flagged}, but ${isFlagged} by its verdicts`];
}

/** Metrics and verdicts of results that have the right form but may hold numbers that no device reports. */
function evaluate(evidence: RunEvidence) {
  try {
    return { computed: summariseMetrics(evidence), judged: judgeRun(evidence) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function isEqual(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= rounding * Math.max(Math.abs(a), Math.abs(b));
}

/** "latency.p50" by the distribution it is a percentile of, in rising order. */
const percentiles = Map.groupBy(
  metrics.flatMap(({ id }) => {
    const [, group, digits = ''] = /^(.+)\.p(\d+)$/.exec(id) ?? [];
    return group === undefined ? [] : [{ id, group, share: Number(`0.${digits.padStart(2, '0')}`) }];
  }),
  ({ group }) => group,
);

function* impossibleValues({ run }: StatedRun): Generator<[string, string]> {
  for (const { id, quantity, unit } of metrics) {
    const value = run.metrics[id] ?? null;
    if (value === null) continue;
    const most = unit === '%' ? 100 : 1;
    if (quantity !== 'signed' && value < 0) yield [id, `is ${value}: it cannot be negative`];
    if (quantity === 'proportion' && value > most * (1 + rounding)) yield [id, `is ${value}, above ${most}`];
  }
  for (const group of percentiles.values()) {
    const known = group
      .toSorted((a, b) => a.share - b.share)
      .flatMap(({ id }) => {
        const value = run.metrics[id] ?? null;
        return value === null ? [] : [{ id, value }];
      });
    for (const [index, { id, value }] of known.entries()) {
      const above = known[index + 1];
      if (above && value > above.value * (1 + rounding)) {
        yield [id, `is ${value}, above ${above.id}, which is ${above.value}`];
      }
    }
  }
}

function* impossibleResults({ run, results, spec }: StatedRun): Generator<[string, string]> {
  for (const { role, device, latency, lateness, histograms } of results) {
    const at = `${role} ${device}`;
    const distributions = { latency, lateness, ...histograms };
    for (const [name, histogram] of Object.entries(distributions)) {
      if (!histogram) continue;
      // Index, count, index, count ...
      const counted = histogram.buckets.reduce((sum, value, i) => sum + (i % 2 === 1 ? value : 0), 0);
      if (counted !== histogram.count) {
        yield [`${at}: ${name}`, `states ${histogram.count} values, but its buckets hold ${counted}`];
      }
    }
  }
  if (spec.qos !== 2 || run.status !== 'done') return;
  const total = (role: string, count: 'sent' | 'received') =>
    results.reduce((sum, result) => sum + (result.role === role ? (result.counters?.[count] ?? 0) : 0), 0);
  const sent = total('publisher', 'sent');
  const most = sent * deliveriesOf(spec);
  const received = total('subscriber', 'received');
  if (!isCoap(spec) && sent > 0 && received > most) {
    yield [
      'received',
      `is ${received} at QoS 2, more than ${sent} messages to ${spec.subscribers} subscribers`,
    ];
  }
}
