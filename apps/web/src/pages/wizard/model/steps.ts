import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { entryOf } from '@mqttlab/shared/domain/bounds';
import { rolesOf } from '@mqttlab/shared/domain/devices/device';
import type { Issue } from '@mqttlab/shared/domain/issue';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { variedFactors } from '@mqttlab/shared/planning/name-treatments';
import type { PlanSoFar } from './plan-forecast.ts';
import { summariseWorkload } from './workload-kinds.ts';

export const steps = [
  { id: 'question', label: 'Question' },
  { id: 'testbed', label: 'Testbed' },
  { id: 'factors', label: 'Factors and levels' },
  { id: 'workload', label: 'Workload' },
  { id: 'repetitions', label: 'Repetitions and order' },
  { id: 'preflight', label: 'Pre-flight' },
  { id: 'review', label: 'Review' },
] as const;

export type StepId = (typeof steps)[number]['id'];

/** Step in which an issue is fixed, by the first part of the issue's field. */
const stepOfField: Readonly<Record<string, StepId>> = {
  name: 'question',
  question: 'question',
  tags: 'question',
  notes: 'question',
  testbedId: 'testbed',
  factors: 'factors',
  leaveOut: 'factors',
  workload: 'workload',
  sampleHz: 'workload',
  repetitions: 'repetitions',
  stopping: 'repetitions',
  order: 'repetitions',
  seed: 'repetitions',
  response: 'repetitions',
  retries: 'repetitions',
  thresholds: 'repetitions',
};

/** Returns the step named in the address, or the first step if it is missing or unknown. */
export function findStep(text: string | undefined): StepId {
  return steps.find(({ id }) => id === text)?.id ?? 'question';
}

export function stepIndex(id: StepId): number {
  return steps.findIndex((step) => step.id === id);
}

export function stepLabel(id: StepId): string {
  return steps[stepIndex(id)]?.label ?? id;
}

export function stepOfIssue({ field }: Pick<Issue, 'field'>): StepId {
  return entryOf(stepOfField, field.split(/[.[]/)[0] ?? '') ?? 'review';
}

export function issuesOfStep(issues: readonly Issue[], id: StepId): Issue[] {
  return issues.filter((issue) => stepOfIssue(issue) === id);
}

/** Returns the issue of one field, for the line under its control. */
export function issueOfField(
  issues: readonly Issue[],
  field: string,
): { what: string; remedy: string } | undefined {
  const issue = issues.find((one) => one.field === field);
  return issue && { what: `${capitalise(issue.reason)}.`, remedy: issue.remedy };
}

/** Capitalises words, but not names such as "ffdhe2048" or "eth0". */
export function capitalise(text: string): string {
  return /^[a-z]+(?![\w-])/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

interface SummaryInput {
  draft: ExperimentDraft;
  testbed: TestbedStatus;
  planning: PlanSoFar;
  /** Short result of the pre-flight; null before it ran. */
  preflight: string | null;
}

const summaries: Readonly<Record<StepId, (input: SummaryInput) => string>> = {
  question: ({ draft }) => draft.question.trim() || 'What do you want to know?',
  testbed: ({ testbed, draft }) =>
    testbed.testbedId === draft.testbedId
      ? `${testbed.name}, ${plural(devicesTakingPart(testbed, draft).length, 'device')}`
      : 'not chosen yet',
  factors: ({ planning }) => {
    const varied = variedFactors(planning.cells.map((cell) => cell.levels)).length;
    return `${plural(varied, 'factor')}, ${plural(planning.treatments, 'treatment')}`;
  },
  workload: ({ draft }) => summariseWorkload(draft),
  repetitions: ({ draft }) =>
    `${draft.stopping ? 'at most ' : ''}${formatCount(draft.repetitions)}, ${draft.order}, seed ${draft.seed}`,
  preflight: ({ preflight, testbed, draft }) =>
    preflight ?? `probes ${plural(devicesTakingPart(testbed, draft).length, 'device')}`,
  review: () => 'Check, then start',
};

/** Returns the devices that the draft needs. Bridge and cloud broker are included only with that topology. */
export function devicesTakingPart(
  { devices }: TestbedStatus,
  { factors }: ExperimentDraft,
): TestbedStatus['devices'] {
  const bridged = factors.topology?.includes('re-encrypting bridge');
  const wanted = rolesOf({ topology: bridged ? 're-encrypting bridge' : 'direct' });
  return devices.filter(({ role }) => wanted.includes(role));
}

export function summariseStep(step: StepId, input: SummaryInput): string {
  return summaries[step](input);
}

/** Returns "Latency, median" for "latency.p50". */
export function metricLabel(id: string): string {
  return findMetric(id)?.label ?? id;
}
