import type { ComponentType, ReactElement } from 'react';
import { FactorsStep } from './factors/factors-step.tsx';
import { PreflightStep } from './preflight/preflight-step.tsx';
import { QuestionStep } from './question-step.tsx';
import { RepetitionsStep } from './repetitions/repetitions-step.tsx';
import { ReviewStep } from './review/review-step.tsx';
import type { StepId } from './steps.ts';
import { TestbedStep } from './testbed-step.tsx';
import { WorkloadStep } from './workload/workload-step.tsx';

const views: Readonly<Record<StepId, ComponentType>> = {
  question: QuestionStep,
  testbed: TestbedStep,
  factors: FactorsStep,
  workload: WorkloadStep,
  repetitions: RepetitionsStep,
  preflight: PreflightStep,
  review: ReviewStep,
};

export function StepView({ step }: { step: StepId }): ReactElement {
  const View = views[step];
  return <View />;
}
