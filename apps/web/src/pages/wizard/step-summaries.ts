import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { rolesOf } from '@mqttlab/shared/domain/devices/topology';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { formatCount } from '@mqttlab/shared/format/number';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { variedFactors } from '@mqttlab/shared/planning/make-treatments';
import type { PlanSoFar } from './plan/plan-so-far.ts';
import type { StepId } from './steps.ts';
import { summariseWorkload } from './workload/workload-kinds.ts';

export interface SummaryInput {
  draft: ExperimentDraft;
  testbed: TestbedStatus;
  planning: PlanSoFar;
  /** In a few words what pre-flight found; null before it ran. */
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

/** Bridge and cloud broker only where the draft has that topology. */
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

export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** "Latency, median" of "latency.p50". */
export function metricLabel(id: string): string {
  return findMetric(id)?.label ?? id;
}
