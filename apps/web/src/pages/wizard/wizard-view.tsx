import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { type ReactElement, useMemo } from 'react';
import { Page } from '../../ui/shell/page.tsx';
import { experimentCode, experimentTitle } from '../experiments/describe-experiment.ts';
import { useDraft } from './draft/use-draft.ts';
import { ConflictNotice } from './frame/conflict-notice.tsx';
import { StepRail } from './frame/step-rail.tsx';
import { StepSelect } from './frame/step-select.tsx';
import { WizardFooter } from './frame/wizard-footer.tsx';
import { makeForecast } from './plan/make-forecast.ts';
import { PlanBar } from './plan/plan-bar.tsx';
import { PlanPanel } from './plan/plan-panel.tsx';
import { makePlanSoFar } from './plan/plan-so-far.ts';
import { usePlanCheck } from './plan/use-plan-check.ts';
import { usePreflight } from './preflight/use-preflight.ts';
import { StepView } from './step-view.tsx';
import { type StepId, stepLabel } from './steps.ts';
import { useWizardLayout } from './use-wizard-layout.ts';
import { type Wizard, WizardContext } from './wizard-context.tsx';
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
  const planning = useMemo(() => makePlanSoFar(draft, testbed), [draft, testbed]);
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
            <StepView step={step} />
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
