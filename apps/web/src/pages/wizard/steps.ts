import type { Issue } from '@mqttlab/shared/domain/issue';

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

/** Which step mends an issue, by the first part of its field. */
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

/** The first step for an address that names none, or one that there is not. */
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
  return stepOfField[field.split(/[.[]/)[0] ?? ''] ?? 'review';
}

export function issuesOfStep(issues: readonly Issue[], id: StepId): Issue[] {
  return issues.filter((issue) => stepOfIssue(issue) === id);
}

/** The issue of one field, for the line under its control. */
export function issueOfField(
  issues: readonly Issue[],
  field: string,
): { what: string; remedy: string } | undefined {
  const issue = issues.find((one) => one.field === field);
  return issue && { what: `${capitalise(issue.reason)}.`, remedy: issue.remedy };
}

/** Words only: a name such as "ffdhe2048" or "eth0" stays as it is. */
export function capitalise(text: string): string {
  return /^[a-z]+(?![\w-])/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
