import { Button, Menu, NativeSelect } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { plural } from '@mqttlab/shared/format/number';
import { addressOf } from '@mqttlab/shared/messages/address';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import {
  type Icon,
  IconAlertCircle,
  IconAlertTriangle,
  IconArrowLeft,
  IconArrowRight,
  IconCheck,
  IconCircleCheck,
  IconFileExport,
  IconFileImport,
  IconLoader2,
  IconPlayerPlay,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentType, type ReactElement, useMemo, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { call } from '../../api/client.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { storeExperiment } from '../../api/use-call.ts';
import { experimentCode, experimentTitle, formatClock } from '../../ui/format.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import { ImportPlanDialog } from '../experiments/import-plan-dialog.tsx';
import type { SaveState } from './model/draft-store.ts';
import { isSamePlan, makeForecast, makePlanSoFar, usePlanCheck } from './model/plan-forecast.ts';
import { summarisePreflight, usePreflight } from './model/preflight.ts';
import { issuesOfStep, type StepId, stepIndex, stepLabel, steps, summariseStep } from './model/steps.ts';
import { changedFields, useDraft } from './model/use-draft.ts';
import { useWizard, type Wizard, WizardContext } from './model/wizard-context.tsx';
import { PlanBar, PlanPanel } from './plan/plan-panel.tsx';
import stepRailStyles from './step-rail.module.css';
import { FactorsStep } from './steps/factors-step.tsx';
import { PreflightStep } from './steps/preflight-step.tsx';
import { QuestionStep } from './steps/question-step.tsx';
import { RepetitionsStep } from './steps/repetitions-step.tsx';
import { ReviewStep } from './steps/review-step.tsx';
import { StepBoundary } from './steps/step-boundary.tsx';
import { TestbedStep } from './steps/testbed-step.tsx';
import { WorkloadStep } from './steps/workload-step.tsx';
import wizardFooterStyles from './wizard-footer.module.css';
import styles from './wizard-view.module.css';

type WizardViewProps = {
  experiment: ExperimentDetail;
  testbeds: readonly [TestbedStatus, ...TestbedStatus[]];
  step: StepId;
};

/** Steps on the left, the current step in the middle, the plan on the right; one column on phones. */
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

/** Conflict between two versions of a draft. Both are kept until the user chooses one. */
function ConflictNotice(): ReactElement | null {
  const { save, draft, store } = useWizard();
  if (save.kind !== 'conflict') return null;
  const { theirs } = save;
  const takeTheirs = () => {
    store.resolve('theirs');
    showUndoToast({ message: 'Other version loaded', onUndo: () => store.edit(draft) });
  };
  return (
    <div className={styles.notice} role="alert">
      <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
      <div>
        <p className={styles.head}>
          This draft was changed in another tab or by another user at {formatClock(theirs.updatedAt)}.
        </p>
        <p>
          Both versions are kept until you choose one. They differ in{' '}
          {changedFields(draft, theirs.draft).join(', ')}.
        </p>
        <div className={styles.buttons}>
          <Button variant="default" size="xs" onClick={() => store.resolve('mine')}>
            Keep this version
          </Button>
          <Button variant="default" size="xs" onClick={takeTheirs}>
            Use the other version
          </Button>
        </div>
      </div>
    </div>
  );
}

/**
 * Returns the same draft object while only question or notes change, because the plan does not depend on
 * them.
 */
function usePlannedDraft(draft: ExperimentDraft): ExperimentDraft {
  const latest = useRef(draft);
  if (!isSamePlan(latest.current, draft)) latest.current = draft;
  return latest.current;
}

/**
 * Returns the layout. `wide` has room for the plan next to the step; narrower windows show it in an
 * expandable bar.
 */
function useWizardLayout(): 'wide' | 'medium' | 'phone' {
  const isPhone = useIsPhone();
  const isWide = useMediaQuery('(min-width: 1180px)', true, { getInitialValueInEffect: false });
  return isPhone ? 'phone' : isWide ? 'wide' : 'medium';
}

/** The current step, the decisions of each step, and open problems. */
function StepRail({ step }: { step: StepId }): ReactElement {
  const { experiment, draft } = useWizard();
  const states = useStepStates(step);
  return (
    <nav className={stepRailStyles.rail} aria-label="Steps of the wizard">
      <div className={stepRailStyles.top}>
        <p className="second">
          <span className="mono">{experimentCode(experiment.id)}</span>, draft
        </p>
        <p className={stepRailStyles.name}>{experimentTitle(draft.name)}</p>
        <SaveStatus />
      </div>
      <ol className={stepRailStyles.steps}>
        {steps.map(({ id, label }, index) => {
          const { mark, summary, issues } = states[id];
          return (
            <li key={id}>
              <Link
                to={`/experiments/${experiment.id}/edit/${id}`}
                className={stepRailStyles.step}
                aria-current={id === step ? 'step' : undefined}
                data-mark={mark}
              >
                <span className={stepRailStyles.number}>
                  {mark === 'done' && <IconCheck size={12} stroke={2.5} aria-label="done" />}
                  {mark === 'fix' && <IconAlertTriangle size={12} stroke={2.5} aria-hidden />}
                  {(mark === 'now' || mark === 'later') && index + 1}
                </span>
                <span className={stepRailStyles.words}>
                  <b>{label}</b>
                  <span className={stepRailStyles.summary}>
                    {issues > 0 && mark !== 'later' ? `${plural(issues, 'issue')} to fix` : summary}
                  </span>
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
      <PlanFiles />
    </nav>
  );
}

/** The step list on phones, with the save status. */
function StepSelect({ step }: { step: StepId }): ReactElement {
  const { experiment } = useWizard();
  const states = useStepStates(step);
  const navigate = useNavigate();
  return (
    <div className={stepRailStyles.bar}>
      <NativeSelect
        aria-label="Step of the wizard"
        value={step}
        data={steps.map(({ id, label }, index) => ({
          value: id,
          label: `${index + 1} of ${steps.length}: ${label}${states[id].issues > 0 ? ', needs fixing' : ''}`,
        }))}
        onChange={(event) => navigate(`/experiments/${experiment.id}/edit/${event.currentTarget.value}`)}
      />
      <SaveStatus />
    </div>
  );
}

/** Save status of the draft, always visible. */
function SaveStatus(): ReactElement {
  const { save, store } = useWizard();
  const SaveIcon = saveIcons[save.kind];
  return (
    <div className={stepRailStyles.status} data-kind={save.kind} role="status">
      <span>
        <SaveIcon size={14} stroke={2} aria-hidden />
        {saveWords(save)}
      </span>
      {save.kind === 'failed' && (
        <Button variant="default" size="xs" onClick={() => void store.flush()}>
          Save now
        </Button>
      )}
    </div>
  );
}

const saveIcons: Readonly<Record<SaveState['kind'], Icon>> = {
  saved: IconCircleCheck,
  pending: IconLoader2,
  saving: IconLoader2,
  failed: IconAlertCircle,
  conflict: IconAlertTriangle,
};

function saveWords(save: SaveState): string {
  if (save.kind === 'saved') return `Saved ${formatClock(save.atMs)}`;
  if (save.kind === 'conflict') return 'Changed elsewhere; not saved';
  if (save.kind !== 'failed') return 'Saving';
  const when = save.retryAtMs === null ? '.' : ' and sent as soon as possible.';
  return `Not saved. ${save.problem.detail} Your changes are kept in this browser${when}`;
}

const quiet = { variant: 'subtle', color: 'gray', small: true } as const;

/** Imports and exports the plan as a file. */
function PlanFiles(): ReactElement {
  const { experiment, draft, store } = useWizard();
  const [isImporting, setImporting] = useState(false);
  const take = async (text: string) => {
    store.edit((await call('POST /plan/read', { body: { text } })).draft);
    showUndoToast({ message: 'The file replaced this draft', onUndo: () => store.edit(draft) });
  };
  const download = async (format: 'yaml' | 'json') => {
    await store.flush();
    window.location.assign(
      addressOf(`GET /experiments/{id}/plan.${format}`, { params: { id: experiment.id } }),
    );
  };
  return (
    <div className={stepRailStyles.files}>
      <ActionButton {...quiet} icon={IconFileImport} onClick={() => setImporting(true)}>
        Import
      </ActionButton>
      <Menu position="top-start">
        <Menu.Target>
          <ActionButton {...quiet} icon={IconFileExport}>
            Export
          </ActionButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void download('yaml')}>Plan as YAML</Menu.Item>
          <Menu.Item onClick={() => void download('json')}>Plan as JSON</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ImportPlanDialog
        opened={isImporting}
        onClose={() => setImporting(false)}
        hint="The file replaces this draft. You can undo that."
        onImport={take}
      />
    </div>
  );
}

interface StepState {
  /** `fix` marks the current or an earlier step that has issues. */
  mark: 'done' | 'now' | 'later' | 'fix';
  summary: string;
  issues: number;
}

/** Returns the status of each step, for the step list. */
function useStepStates(current: StepId): Readonly<Record<StepId, StepState>> {
  const { draft, testbed, planning, preflight } = useWizard();
  const found = preflight.checks && summarisePreflight(preflight.checks);
  const words = found && (preflight.isOutdated ? 'plan changed; run again' : found.words);
  const entries = steps.map(({ id }): [StepId, StepState] => {
    const issues = issuesOfStep(planning.issues, id).length;
    const summary = summariseStep(id, { draft, testbed, planning, preflight: words });
    const isPreflight = id === 'preflight';
    return [id, { mark: markOf(id), summary, issues }];

    function markOf(step: StepId): StepState['mark'] {
      if (step === current) return 'now';
      if (stepIndex(step) > stepIndex(current)) return 'later';
      if (issues > 0 || (isPreflight && found?.kind === 'failed')) return 'fix';
      return isPreflight && (!found || preflight.isOutdated) ? 'later' : 'done';
    }
  });
  return Object.fromEntries(entries) as Record<StepId, StepState>;
}

type WizardFooterProps = {
  step: StepId;
  /** In the bottom bar on phones: two buttons side by side. */
  isPhone?: boolean;
};

/** Footer with "Back", "Save and close", and the primary button: next step or start. */
function WizardFooter({ step, isPhone = false }: WizardFooterProps): ReactElement {
  const { experiment, store } = useWizard();
  const navigate = useNavigate();
  const index = stepIndex(step);
  const [before, after] = [steps[index - 1], steps[index + 1]];
  const path = (id: StepId) => `/experiments/${experiment.id}/edit/${id}`;
  const close = async () => {
    await store.flush();
    await navigate('/experiments');
  };
  const back = before && (
    <Button
      component={Link}
      to={path(before.id)}
      variant="default"
      leftSection={<IconArrowLeft size={16} stroke={2} aria-hidden />}
    >
      {before.label}
    </Button>
  );
  const onward = after ? (
    <Button
      component={Link}
      to={path(after.id)}
      rightSection={<IconArrowRight size={16} stroke={2} aria-hidden />}
    >
      {isPhone ? after.label : `Next: ${after.label}`}
    </Button>
  ) : (
    <StartButton />
  );
  if (isPhone) {
    return (
      <nav className={wizardFooterStyles.phone} aria-label="Wizard navigation">
        {back}
        {onward}
      </nav>
    );
  }
  return (
    <footer className={wizardFooterStyles.foot}>
      {back}
      <span className={wizardFooterStyles.space} />
      <Button variant="subtle" color="gray" onClick={() => void close()}>
        Save and close
      </Button>
      {onward}
    </footer>
  );
}

function StartButton(): ReactElement {
  const { planning, save } = useWizard();
  const start = useStart();
  const reason =
    planning.issues.length > 0
      ? `${plural(planning.issues.length, 'issue')} to fix first`
      : save.kind === 'conflict'
        ? 'Choose one of the two versions first'
        : undefined;
  return (
    <ActionButton
      variant="filled"
      icon={IconPlayerPlay}
      disabled={reason !== undefined}
      title={reason}
      loading={start.isPending}
      onClick={start.run}
    >
      Start {plural(planning.runs, 'run')}
    </ActionButton>
  );
}

/** Saves pending changes, starts the experiment and opens its live page. */
function useStart(): { run: () => void; isPending: boolean } {
  const { experiment, store } = useWizard();
  const [isPending, setPending] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { id } = experiment;
  const run = async () => {
    setPending(true);
    try {
      if (!(await store.flush())) {
        throw new Error('The draft is not saved yet, so the server would start an older plan.');
      }
      const started = await call('POST /experiments/{id}/actions/{action}', {
        params: { id, action: 'start' },
      });
      // Navigate before updating the cache, because a started experiment has no wizard.
      await navigate(`/experiments/${id}`);
      storeExperiment(client, started);
    } catch (error) {
      showProblem('The experiment was not started', error);
    } finally {
      setPending(false);
    }
  };
  return { run: () => void run(), isPending };
}
