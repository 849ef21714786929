import { foreignTreatment } from '../catalogue/factors/foreign-treatment.ts';
import { metrics } from '../catalogue/metrics.ts';
import { makeEmptyDraft } from '../catalogue/tour.ts';
import type { Issue } from '../domain/issue.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import type { Plan } from '../domain/plans/plan.ts';
import { neutralSpec } from '../domain/plans/trial-spec.ts';
import { type ForeignImport, foreignLimits } from '../messages/foreign.ts';
import { nameTreatments, variedFactors } from '../planning/name-treatments.ts';
import { nearestOf } from '../planning/written-names.ts';

/** A plan with one trial for each foreign run, in their order. */
interface PlannedForeign {
  ok: true;
  draft: ExperimentDraft;
  plan: Plan;
}

/**
 * Makes the plan under which foreign runs are stored. Treatments only have names, and their specifications
 * are neutral placeholders. Returns every unknown metric or treatment with its field. Pure.
 */
export function planForeign(
  asked: ForeignImport,
  testbedId: string,
): PlannedForeign | { ok: false; issues: Issue[] } {
  const names = [...new Set(asked.runs.map(({ treatment }) => treatment))];
  const measured = new Set(asked.runs.flatMap((run) => Object.keys(run.metrics)));
  const response = asked.response ?? metrics.find(({ id }) => measured.has(id))?.id ?? '';
  const issues = checkForeign(asked, names, response);
  if (issues.length > 0) return { ok: false, issues };

  const baseline = asked.baseline ?? names[0];
  const ordered = names.toSorted((a, b) => Number(b === baseline) - Number(a === baseline));
  const repetitions = Math.max(
    ...[...Map.groupBy(asked.runs, (run) => run.treatment).values()].map((runs) => runs.length),
  );
  const draft: ExperimentDraft = {
    ...makeEmptyDraft(testbedId, 0),
    name: asked.name,
    question: asked.question,
    factors: { [foreignTreatment.id]: ordered },
    repetitions,
    order: 'as listed',
    response,
    retries: 0,
  };
  const levels = ordered.map((name) => ({ [foreignTreatment.id]: name }));
  const labels = nameTreatments(levels);
  const treatments = levels.flatMap((own, index) => {
    const named = labels[index];
    const name = ordered[index];
    return named && name !== undefined
      ? [{ key: keyOf(name), levels: own, ...named, spec: neutralSpec }]
      : [];
  });
  const blocks = new Map<string, number>();
  const trials = asked.runs.map(({ treatment }, index) => {
    const block = (blocks.get(treatment) ?? 0) + 1;
    blocks.set(treatment, block);
    return { number: index + 1, block, treatmentKey: keyOf(treatment) };
  });
  const plan: Plan = {
    schemaVersion: draft.schemaVersion,
    name: draft.name,
    question: draft.question,
    testbedId,
    varied: variedFactors(levels),
    treatments,
    excluded: [],
    baselineKey: treatments[0]?.key ?? '',
    workload: draft.workload,
    sampleHz: draft.sampleHz,
    repetitions,
    stopping: null,
    order: draft.order,
    seed: draft.seed,
    response,
    retries: draft.retries,
    thresholds: [],
    trials,
  };
  return { ok: true, draft, plan };
}

function keyOf(name: string): string {
  return `${foreignTreatment.id}=${name}`;
}

function checkForeign(asked: ForeignImport, names: readonly string[], response: string): Issue[] {
  const known = new Set(metrics.map(({ id }) => id));
  const issues: Issue[] = [];
  if (names.length > foreignLimits.treatments) {
    issues.push({
      field: 'runs',
      reason: `there are ${names.length} treatments, more than ${foreignLimits.treatments}`,
      remedy:
        'Specify the treatment column, not a column that differs in every run, or import fewer treatments.',
    });
  }
  for (const [index, run] of asked.runs.entries()) {
    const ids = Object.keys(run.metrics);
    if (ids.length === 0) {
      issues.push({
        field: `runs[${index}].metrics`,
        reason: 'has no value',
        remedy: 'Remove the run or add a value.',
      });
    }
    for (const id of ids.filter((one) => !known.has(one))) {
      issues.push(unknownMetric(`runs[${index}].metrics.${id}`, id));
    }
  }
  if (issues.length === 0 && !asked.runs.some((run) => response in run.metrics)) {
    issues.push({
      field: 'response',
      reason: known.has(response) ? `no run has a value for ${response}` : `there is no metric "${response}"`,
      remedy: 'Choose a metric that the runs contain.',
    });
  }
  if (asked.baseline !== undefined && !names.includes(asked.baseline)) {
    issues.push({
      field: 'baseline',
      reason: `no run has the treatment "${asked.baseline}"`,
      remedy: `Choose one of ${names.slice(0, 10).join(', ')}.`,
    });
  }
  // Every run contains the same mistake, so the first issues are enough.
  return issues.slice(0, 20);
}

/** Returns the issue for a metric that is not in the catalogue, with the closest metric that is. Pure. */
export function unknownMetric(field: string, id: string): Issue {
  const nearest = nearestOf(
    id,
    metrics.map((metric) => metric.id),
  );
  return {
    field,
    reason: `there is no metric "${id}"${nearest === null ? '' : `: did you mean "${nearest}"?`}`,
    remedy: 'Choose a metric from docs/reference/metrics.md, for example latency.p50 or rate.messages.',
  };
}
