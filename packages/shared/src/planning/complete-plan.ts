import { factors } from '../catalogue/factors.ts';
import { findMetric, metrics } from '../catalogue/metrics.ts';
import { makeEmptyDraft } from '../catalogue/tour.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import { type Issue, issuesOf } from '../domain/issue.ts';
import { type ExperimentDraft, experimentDraftSchema } from '../domain/plans/experiment-draft.ts';
import { readLevels } from './written-levels.ts';
import { checkNames, fold, isRecord, nearestOf } from './written-names.ts';
import { readWorkload } from './written-workload.ts';

export type CompletedPlan = { ok: true; draft: ExperimentDraft } | { ok: false; issues: Issue[] };

/**
 * Completes a plan file. Only `factors` is required; other fields have the wizard's defaults. Levels can have
 * informal names ("tls1.3", "aes-256-gcm", "1 MB"), durations can have a unit ("10s"), and a single level
 * needs no list. Unknown words are reported with the closest known word. A file with a version was exported,
 * so it is complete, and its errors are reported without completing it.
 */
export function completePlan(input: unknown, testbed: TestbedView): CompletedPlan {
  if (!isRecord(input)) {
    return refuse([
      {
        field: 'plan',
        reason: 'is not a list of fields',
        remedy: 'Write "factors:" and, below it, the factors to vary.',
      },
    ]);
  }
  const { $schema: _schema, ...written } = input;
  if ('schemaVersion' in written) return parse(written);
  const issues: Issue[] = [];
  const empty = makeEmptyDraft(testbed.testbedId, 1);
  const { testbed: testbedName, workload, factors: levels, response, ...rest } = written;
  checkNames(rest, { field: '', known: topNames, issues });
  const readCombination = (combination: unknown, field: string) =>
    readLevels(combination, { field, testbed, issues });
  const draft = {
    ...empty,
    ...rest,
    ...(testbedName === undefined ? {} : { testbedId: testbedName }),
    factors: readLevels(levels, { field: 'factors', testbed, issues }),
    workload: { ...empty.workload, ...readWorkload(workload, issues) },
    response: readMetric(response ?? empty.response, issues),
    ...(Array.isArray(rest.leaveOut)
      ? { leaveOut: rest.leaveOut.map((entry, index) => readCombination(entry, `leaveOut[${index}]`)) }
      : {}),
    ...(Array.isArray(rest.thresholds)
      ? {
          thresholds: rest.thresholds.map((entry: unknown, index) =>
            isRecord(entry) && entry.where !== undefined
              ? { ...entry, where: readCombination(entry.where, `thresholds[${index}].where`) }
              : entry,
          ),
        }
      : {}),
  };
  const isNamed = typeof draft.name !== 'string' || draft.name.trim() !== '';
  return issues.length > 0 ? refuse(issues) : parse(isNamed ? draft : { ...draft, name: nameOf(draft) });
}

function parse(draft: unknown): CompletedPlan {
  const parsed = experimentDraftSchema.safeParse(draft);
  return parsed.success ? { ok: true, draft: parsed.data } : refuse(issuesOf(parsed.error));
}

function refuse(issues: Issue[]): CompletedPlan {
  return { ok: false, issues };
}

const topNames = [
  ...Object.keys(experimentDraftSchema.shape).filter((name) => name !== 'schemaVersion'),
  'testbed',
];

function readMetric(written: unknown, issues: Issue[]): string {
  const name = String(written);
  if (findMetric(name)) return name;
  const called = metrics.find(({ id, label }) => fold(id) === fold(name) || fold(label) === fold(name));
  if (called) return called.id;
  const nearest = nearestOf(
    name,
    metrics.map(({ id }) => id),
  );
  issues.push({
    field: 'response',
    reason: `there is no metric "${name}"${nearest === null ? '' : `: did you mean "${nearest}"?`}`,
    remedy:
      'Choose a metric from docs/reference/metrics.md, for example latency.p50, wire.perMessage or rate.messages.',
  });
  return name;
}

/** Names the varied factors: "Security × QoS". */
function nameOf({ factors: levels }: Pick<ExperimentDraft, 'factors'>): string {
  const varied = factors.filter(({ id }) => (levels[id]?.length ?? 0) > 1).map(({ label }) => label);
  return varied.length > 0 ? varied.slice(0, 4).join(' × ') : 'One treatment';
}
