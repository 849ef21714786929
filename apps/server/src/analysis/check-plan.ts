import { countPlannedContrasts } from '@mqttlab/shared/analysis/contrasts';
import { levelOf } from '@mqttlab/shared/analysis/counting-runs';
import { spreadOfDifferences } from '@mqttlab/shared/analysis/resolution';
import { findUnresolvableThresholds } from '@mqttlab/shared/analysis/threshold-resolution';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Excluded, Plan } from '@mqttlab/shared/domain/plans/plan';
import type { PlanCheck, PlanEstimate, Resolution } from '@mqttlab/shared/messages/http';
import { limits } from '@mqttlab/shared/planning/check-draft';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { countCombinations, expandTreatments } from '@mqttlab/shared/planning/expand-treatments';
import { excludedOf, parsePlan } from '@mqttlab/shared/planning/parse-plan';
import type { RunStore } from '../store/runs/run-store.ts';
import type { AnalysisStores } from './select-runs.ts';

interface CheckContext {
  capabilities: TestbedCapabilities;
  diskFreeBytes: number | null;
  /** Unix ms. */
  now: number;
}

/**
 * What a draft would become: its issues, treatments, impossible combinations, cost and what it can resolve. A draft
 * that only lacks its name is reckoned all the same, for the wizard asks for the name last.
 */
export function checkPlan(stores: AnalysisStores, draft: ExperimentDraft, context: CheckContext): PlanCheck {
  const { capabilities } = context;
  const asked = parsePlan(draft, capabilities);
  const reckoned = asked.ok ? asked : parsePlan({ ...draft, name: 'Untitled' }, capabilities);
  const issues = asked.ok ? [] : asked.issues;
  if (!reckoned.ok) {
    const excluded = impossibleCells(draft, capabilities);
    return { issues, warnings: [], treatments: [], excluded, estimate: null, resolution: null };
  }
  const { plan } = reckoned;
  return {
    issues,
    warnings: findUnresolvableThresholds(plan, {
      resolutionOf: (metric) => findResolution(stores.runs, { ...plan, response: metric }),
      valuesOf: (metric) => stores.runs.valuesOfSimilar({ ...similarTo(plan), metric, varied: null }),
    }),
    treatments: plan.treatments,
    excluded: plan.excluded,
    estimate: estimatePlan(stores, plan, context),
    resolution: findResolution(stores.runs, plan),
  };
}

function estimatePlan(stores: AnalysisStores, plan: Plan, context: CheckContext): PlanEstimate {
  const cost = estimate(plan, stores.runs.medianOverheadMs(plan.testbedId));
  const startsAt = context.now + waitMs(stores, plan.testbedId);
  return { ...cost, startsAt, finishesAt: startsAt + cost.durationMs, diskFreeBytes: context.diskFreeBytes };
}

/** Until what runs and waits on a testbed is through; what is paused is not waited for. */
function waitMs(stores: AnalysisStores, testbedId: string): number {
  return stores.experiments
    .listActive()
    .filter((experiment) => experiment.plan?.testbedId === testbedId && experiment.status !== 'paused')
    .reduce((total, { id, plan }) => {
      const summary = stores.experiments.summary(id);
      if (!summary || !plan) return total;
      const { trials, done, failed, cancelled } = summary.progress;
      const open = Math.max(0, trials - done - failed - cancelled);
      const planned = estimate(plan, stores.runs.medianOverheadMs(testbedId)).runMs * open;
      return total + (summary.timeLeftMs ?? planned);
    }, 0);
}

/** Impossible combinations of a draft whose levels are at least of the right form. */
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
 * The spread that earlier experiments showed for the plan's response: those that varied the same factors with this kind
 * of workload on this testbed, otherwise any of this kind on it. Null if there are too few.
 */
export function findResolution(runs: RunStore, plan: Plan): Resolution | null {
  const metric = findMetric(plan.response);
  if (!metric) return null;
  const varied = plan.varied.map((id) => findFactor(id)?.label ?? id);
  const spreadOf = (labels: readonly string[] | null) =>
    spreadOfDifferences(
      runs.valuesOfSimilar({ ...similarTo(plan), metric: metric.id, varied: labels }),
      metric,
    );
  const spread = spreadOf(varied) ?? spreadOf(null);
  if (!spread) return null;
  return {
    metric: metric.id,
    unit: metric.unit,
    ...spread,
    level: levelOf(plan),
    contrasts: countPlannedContrasts(plan),
  };
}
