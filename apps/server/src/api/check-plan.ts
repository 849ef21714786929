import { countPlannedContrasts } from '@mqttlab/shared/analysis/contrasts';
import { levelOf } from '@mqttlab/shared/analysis/counting-runs';
import { spreadOfDifferences } from '@mqttlab/shared/analysis/resolution';
import { findUnresolvableThresholds } from '@mqttlab/shared/analysis/threshold-resolution';
import { factors, findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView, type TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorValue } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Excluded, Plan, Treatment } from '@mqttlab/shared/domain/plans/plan';
import { workloadKinds } from '@mqttlab/shared/domain/plans/workload';
import type { PlanCheck, PlanEstimate, Resolution } from '@mqttlab/shared/messages/http';
import { limits } from '@mqttlab/shared/planning/check-draft';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { countCombinations, expandTreatments } from '@mqttlab/shared/planning/expand-treatments';
import { excludedOf, parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { writeWorkload } from '@mqttlab/shared/planning/written-workload';
import * as YAML from 'yaml';
import type { AnalysisStores } from '../results/compare.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { schemaLine } from './documents.ts';

interface CheckContext {
  capabilities: TestbedCapabilities;
  diskFreeBytes: number | null;
  /** Unix ms. */
  now: number;
}

/**
 * Returns the outcome of a draft: issues, treatments, impossible combinations, cost and resolution. A draft
 * that lacks only its name is also evaluated, because the wizard asks for the name last.
 */
export function checkPlan(stores: AnalysisStores, draft: ExperimentDraft, context: CheckContext): PlanCheck {
  const { capabilities } = context;
  const asked = parsePlan(draft, capabilities);
  const reckoned = asked.ok ? asked : parsePlan({ ...draft, name: 'Untitled' }, capabilities);
  const issues = asked.ok ? [] : asked.issues;
  if (!reckoned.ok) {
    const excluded = impossibleCells(draft, capabilities);
    const earlier = { runs: 0, flagged: 0 };
    return { issues, warnings: [], treatments: [], excluded, estimate: null, resolution: null, earlier };
  }
  const { plan } = reckoned;
  return {
    issues,
    warnings: findUnresolvableThresholds(plan, {
      resolutionOf: (metric) => findResolution(stores.runs, { ...plan, response: metric }),
      valuesOf: (metric) => stores.runs.readSimilarValues({ ...similarTo(plan), metric, varied: null }),
    }),
    treatments: plan.treatments,
    excluded: plan.excluded,
    estimate: estimatePlan(stores, plan, context),
    resolution: findResolution(stores.runs, plan),
    earlier: stores.runs.countSimilarRuns({ ...similarTo(plan), metric: plan.response, varied: null }),
  };
}

function estimatePlan(stores: AnalysisStores, plan: Plan, context: CheckContext): PlanEstimate {
  const cost = estimate(plan, stores.runs.medianOverheadMs(plan.testbedId));
  const startsAt = context.now + waitMs(stores, plan.testbedId);
  return { ...cost, startsAt, finishesAt: startsAt + cost.durationMs, diskFreeBytes: context.diskFreeBytes };
}

/**
 * Returns the time until the running and waiting experiments of a testbed are complete, without paused
 * experiments.
 */
function waitMs(stores: AnalysisStores, testbedId: string): number {
  return stores.experiments
    .listActiveExperiments()
    .filter((experiment) => experiment.plan?.testbedId === testbedId && experiment.status !== 'paused')
    .reduce((total, { id, plan }) => {
      const summary = stores.experiments.findExperimentSummary(id);
      if (!summary || !plan) return total;
      const { trials, done, failed, cancelled } = summary.progress;
      const open = Math.max(0, trials - done - failed - cancelled);
      const planned = estimate(plan, stores.runs.medianOverheadMs(testbedId)).runMs * open;
      return total + (summary.timeLeftMs ?? planned);
    }, 0);
}

/** Returns the impossible combinations of a draft whose levels at least have a valid form. */
function impossibleCells(draft: ExperimentDraft, capabilities: TestbedCapabilities): Excluded[] {
  const formed = Object.entries(draft.factors).every(([id, levels]) => {
    const factor = findFactor(id);
    return factor !== undefined && levels.every((level) => factor.schema.safeParse(level).success);
  });
  const testbed = makeTestbedView(capabilities);
  if (!formed || countCombinations(draft, testbed) > limits.combinations) return [];
  return excludedOf(expandTreatments(draft, testbed));
}

function similarTo({ testbedId, workload }: Plan) {
  return { testbedId, workload: workload.kind };
}

/**
 * Returns the spread of the plan's response in earlier experiments with the same factors and this kind of
 * workload on this testbed, otherwise in any experiments with this kind of workload on the testbed. Returns
 * null if there are too few. The values of an exact metric hardly vary between runs of one treatment, so other
 * treatments say nothing about the differences between those of the plan.
 */
export function findResolution(runs: RunStore, plan: Plan): Resolution | null {
  const metric = findMetric(plan.response);
  if (!metric) return null;
  const varied = plan.varied.map((id) => findFactor(id)?.label ?? id);
  const spreadOf = (labels: readonly string[] | null) =>
    spreadOfDifferences(
      runs.readSimilarValues({ ...similarTo(plan), metric: metric.id, varied: labels }),
      metric,
    );
  const own = spreadOf(varied);
  const spread = own ?? (metric.resolution === 'exact' ? null : spreadOf(null));
  if (!spread) return null;
  return {
    metric: metric.id,
    unit: metric.unit,
    ...spread,
    sameFactors: own !== null,
    level: levelOf(plan),
    contrasts: countPlannedContrasts(plan),
  };
}

interface Filling {
  /** Treatments of the plan; empty if the plan cannot start. */
  treatments: readonly Treatment[];
  testbed: TestbedView;
  /** Address of the JSON Schema. */
  schema: string;
}

/**
 * Returns a plan in its hand-written form, with every field filled in: the meaning of each field, the
 * available levels, and the constant levels. It parses to the same plan.
 */
export function fillPlan(draft: ExperimentDraft, { treatments, testbed, schema }: Filling): string {
  const { name, question, tags, notes, testbedId, leaveOut, stopping, thresholds } = draft;
  const { sampleHz, repetitions, order, seed, response, retries } = draft;
  const isHeld = ({ id }: FactorDefinition) => treatments.some(({ levels }) => (levels[id] ?? null) !== null);
  return [
    schemaLine(schema).trimEnd(),
    ...field('', { name, question, tags, notes }),
    ...field('Where it runs.', { testbed: testbedId }),
    '',
    '# What to vary: every combination of levels is a treatment. Remove the # to vary a constant factor.',
    'factors:',
    ...factors
      .filter((factor) => draft.factors[factor.id] !== undefined || isHeld(factor))
      .flatMap((factor) => levelLines(factor, draft.factors[factor.id], testbed)),
    ...(leaveOut ? field('Combinations to leave out.', { leaveOut }) : []),
    '',
    `# The workload: ${workloadKinds.join(', ')}.`,
    ...field('', { workload: writeWorkload(draft.workload) }),
    ...field('Samples per second on every device: 1 or 10.', { sampleHz }),
    '',
    ...field('Runs per treatment. Start with five; an interval needs at least three.', { repetitions }),
    ...field(
      'End early when the interval is narrow enough: { metric: latency.p50, targetPercent: 5, atLeast: 5 }.',
      { stopping },
    ),
    ...field('Order of the treatments in each repetition ("as listed"), and its seed.', { order, seed }),
    ...field('The metric of interest: see docs/reference/metrics.md.', { response }),
    ...field('Automatic retries of a failed run.', { retries }),
    ...field(
      'Limits that set the exit code: - { metric: latency.p95, atMost: 20 }; with of: baseline, in percent.',
      { thresholds: thresholds ?? [] },
    ),
    '',
  ].join('\n');
}

function field(comment: string, values: Record<string, unknown>): string[] {
  const lines = Object.entries(values).map(([name, value]) => `${name}: ${inOneLine(value)}`);
  return [...(comment === '' ? [] : [`# ${comment}`]), ...lines];
}

/** Maximum number of list entries in a comment. */
const shownLevels = 12;

/** Writes a varied factor, or a constant factor as a comment if it could be varied. */
function levelLines(
  factor: FactorDefinition,
  chosen: readonly FactorValue[] | undefined,
  testbed: TestbedView,
): string[] {
  const { id, label, help, unit, input } = factor;
  const range = input.kind === 'number' ? `${input.min} to ${input.max}${unit ? ` ${unit}` : ''}; ` : '';
  const options = factor.options(testbed).flatMap(({ value, refusal }) => (refusal === null ? value : []));
  const sound = options.filter((value) => (factor.caution?.(value) ?? null) === null).slice(0, shownLevels);
  const more = options.length > sound.length ? `, and ${options.length - sound.length} more` : '';
  const known = sound.join(', ') + more;
  const levels = inOneLine(chosen ?? [factor.defaultLevel(testbed)]);
  return [
    `  # ${label}: ${help}`,
    `  # Levels: ${range}${known || 'none available on this testbed'}`,
    `  ${chosen === undefined ? '# ' : ''}${id}: ${levels}`,
  ];
}

function inOneLine(value: unknown): string {
  return YAML.stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}
