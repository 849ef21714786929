import { summarisePreflight } from '../preflight/summarise-preflight.ts';
import { summariseStep } from '../step-summaries.ts';
import { issuesOfStep, type StepId, stepIndex, steps } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';

export interface StepState {
  /** `mend`: behind us or here, with something wrong. */
  mark: 'done' | 'now' | 'later' | 'mend';
  summary: string;
  issues: number;
}

/** One entry for each step, as the rail and the phone's list show it. */
export function useStepStates(current: StepId): Readonly<Record<StepId, StepState>> {
  const { draft, testbed, planning, preflight } = useWizard();
  const found = preflight.checks && summarisePreflight(preflight.checks);
  const words = found && (preflight.isOutdated ? 'changed since, run it again' : found.words);
  const entries = steps.map(({ id }): [StepId, StepState] => {
    const issues = issuesOfStep(planning.issues, id).length;
    const summary = summariseStep(id, { draft, testbed, planning, preflight: words });
    const isPreflight = id === 'preflight';
    return [id, { mark: markOf(id), summary, issues }];

    function markOf(step: StepId): StepState['mark'] {
      if (step === current) return 'now';
      if (stepIndex(step) > stepIndex(current)) return 'later';
      if (issues > 0 || (isPreflight && found?.kind === 'failed')) return 'mend';
      return isPreflight && (!found || preflight.isOutdated) ? 'later' : 'done';
    }
  });
  return Object.fromEntries(entries) as Record<StepId, StepState>;
}
