import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ComponentType, type ReactElement, useMemo, useRef } from 'react';
import { experimentCode, experimentTitle, formatClock } from '../../ui/format.ts';
import { Page } from '../../ui/shell/page.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import { isSamePlan, makeForecast, makePlanSoFar, usePlanCheck } from './model/plan-forecast.ts';
import { usePreflight } from './model/preflight.ts';
import { type StepId, stepLabel } from './model/steps.ts';
import { changedFields, useDraft } from './model/use-draft.ts';
import { useWizard, type Wizard, WizardContext } from './model/wizard-context.tsx';
import { PlanBar, PlanPanel } from './plan/plan-panel.tsx';
import { StepRail, StepSelect } from './step-rail.tsx';
import { FactorsStep } from './steps/factors-step.tsx';
import { PreflightStep } from './steps/preflight-step.tsx';
import { QuestionStep } from './steps/question-step.tsx';
import { RepetitionsStep } from './steps/repetitions-step.tsx';
import { ReviewStep } from './steps/review-step.tsx';
import { StepBoundary } from './steps/step-boundary.tsx';
import { TestbedStep } from './steps/testbed-step.tsx';
import { WorkloadStep } from './steps/workload-step.tsx';
import { WizardFooter } from './wizard-footer.tsx';
import styles from './wizard-view.module.css';

type WizardViewProps = {
  experiment: ExperimentDetail;
  testbeds: readonly [TestbedStatus, ...TestbedStatus[]];
  step: StepId;
};

/** Steps at the left, the step in the middle, the plan so far at the right; one column on phones. */
export function WizardView({ experiment, testbeds, step }: WizardViewProps): ReactElement {
  const { store, state } = useDraft(experiment);
  const { draft, save } = state;
  const testbed = testbeds.find((one) => one.testbedId === draft.testbedId) ?? testbeds[0];
  const planned = usePlannedDraft(draft);
  const planning = useMemo(() => makePlanSoFar(planned, testbed), [planned, testbed]);
  const answer = usePlanCheck(draft);
  const forecast = useMemo(() => makeForecast(planning, answer), [planning, answer]);
  const preflight = usePreflight(testbed.testbedId, draft);
  const layout = useWizardLayout();

  const wizard: Wizard = {
    experiment,
    draft,
    edit: (change) => store.edit({ ...store.getState().draft, ...change }),
    save,
    store,
    testbeds,
    testbed,
    planning,
    forecast,
    preflight,
  };
  const name = experimentTitle(draft.name);
  return (
    <WizardContext value={wizard}>
      <Page
        title={`${stepLabel(step)}, ${name}`}
        crumb={draft.name.trim() === '' ? 'New experiment' : `${experimentCode(experiment.id)} ${name}`}
        breadcrumbs={[{ label: 'Experiments', to: '/experiments' }]}
        layout="bare"
        bottomBar={layout === 'phone' ? <WizardFooter step={step} isPhone /> : undefined}
      >
        <div className={styles.wizard} data-layout={layout}>
          {layout === 'phone' ? <StepSelect step={step} /> : <StepRail step={step} />}
          <section key={step} className={styles.middle} aria-label={stepLabel(step)}>
            <ConflictNotice />
            <StepBoundary draft={draft}>
              <StepView step={step} />
            </StepBoundary>
          </section>
          {layout === 'wide' ? (
            <aside className={styles.side} aria-label="Plan so far">
              <PlanPanel />
            </aside>
          ) : (
            <PlanBar />
          )}
          {layout !== 'phone' && <WizardFooter step={step} />}
        </div>
      </Page>
    </WizardContext>
  );
}

const views: Readonly<Record<StepId, ComponentType>> = {
  question: QuestionStep,
  testbed: TestbedStep,
  factors: FactorsStep,
  workload: WorkloadStep,
  repetitions: RepetitionsStep,
  preflight: PreflightStep,
  review: ReviewStep,
};

function StepView({ step }: { step: StepId }): ReactElement {
  const View = views[step];
  return <View />;
}

/** Two versions of one draft: both are kept until one is chosen. */
function ConflictNotice(): ReactElement | null {
  const { save, draft, store } = useWizard();
  if (save.kind !== 'conflict') return null;
  const { theirs } = save;
  const takeTheirs = () => {
    store.resolve('theirs');
    showUndoToast({ message: 'Other version taken', onUndo: () => store.edit(draft) });
  };
  return (
    <div className={styles.notice} role="alert">
      <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
      <div>
        <p className={styles.head}>
          This draft was changed in another tab or by someone else at {formatClock(theirs.updatedAt)}.
        </p>
        <p>
          Nothing is lost: both versions are kept until you choose. They differ in{' '}
          {changedFields(draft, theirs.draft).join(', ')}.
        </p>
        <div className={styles.buttons}>
          <Button variant="default" size="xs" onClick={() => store.resolve('mine')}>
            Keep what is on this page
          </Button>
          <Button variant="default" size="xs" onClick={takeTheirs}>
            Take the other version
          </Button>
        </div>
      </div>
    </div>
  );
}

/** The draft without a new identity for each letter of its question and notes: no plan depends on them. */
function usePlannedDraft(draft: ExperimentDraft): ExperimentDraft {
  const latest = useRef(draft);
  if (!isSamePlan(latest.current, draft)) latest.current = draft;
  return latest.current;
}

/** `wide` has room for the plan beside the step; below it stands in a bar that opens. */
function useWizardLayout(): 'wide' | 'medium' | 'phone' {
  const isPhone = useIsPhone();
  const isWide = useMediaQuery('(min-width: 1180px)', true, { getInitialValueInEffect: false });
  return isPhone ? 'phone' : isWide ? 'wide' : 'medium';
}
