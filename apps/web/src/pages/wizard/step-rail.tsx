import { Button, Menu, NativeSelect } from '@mantine/core';
import { plural } from '@mqttlab/shared/format/number';
import {
  type Icon,
  IconAlertCircle,
  IconAlertTriangle,
  IconCheck,
  IconCircleCheck,
  IconFileExport,
  IconFileImport,
  IconLoader2,
} from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { experimentCode, experimentTitle, formatClock } from '../../ui/format.ts';
import { ActionButton } from '../../ui/input/buttons.tsx';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import { ImportPlanDialog } from '../experiments/import-plan-dialog.tsx';
import type { SaveState } from './model/draft-store.ts';
import { summarisePreflight } from './model/preflight.ts';
import { issuesOfStep, type StepId, stepIndex, steps, summariseStep } from './model/steps.ts';
import { useWizard } from './model/wizard-context.tsx';
import styles from './step-rail.module.css';

/** Where one is, what was decided in each step, and what still has to be fixed. */
export function StepRail({ step }: { step: StepId }): ReactElement {
  const { experiment, draft } = useWizard();
  const states = useStepStates(step);
  return (
    <nav className={styles.rail} aria-label="Steps of the wizard">
      <div className={styles.top}>
        <p className="second">
          <span className="mono">{experimentCode(experiment.id)}</span>, draft
        </p>
        <p className={styles.name}>{experimentTitle(draft.name)}</p>
        <SaveStatus />
      </div>
      <ol className={styles.steps}>
        {steps.map(({ id, label }, index) => {
          const { mark, summary, issues } = states[id];
          return (
            <li key={id}>
              <Link
                to={`/experiments/${experiment.id}/edit/${id}`}
                className={styles.step}
                aria-current={id === step ? 'step' : undefined}
                data-mark={mark}
              >
                <span className={styles.number}>
                  {mark === 'done' && <IconCheck size={12} stroke={2.5} aria-label="done" />}
                  {mark === 'fix' && <IconAlertTriangle size={12} stroke={2.5} aria-hidden />}
                  {(mark === 'now' || mark === 'later') && index + 1}
                </span>
                <span className={styles.words}>
                  <b>{label}</b>
                  <span className={styles.summary}>
                    {issues > 0 && mark !== 'later' ? `${plural(issues, 'thing')} to fix` : summary}
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

/** The rail on phones: one list, and whether everything is saved. */
export function StepSelect({ step }: { step: StepId }): ReactElement {
  const { experiment } = useWizard();
  const states = useStepStates(step);
  const navigate = useNavigate();
  return (
    <div className={styles.bar}>
      <NativeSelect
        aria-label="Step of the wizard"
        value={step}
        data={steps.map(({ id, label }, index) => ({
          value: id,
          label: `${index + 1} of ${steps.length}: ${label}${states[id].issues > 0 ? ', to fix' : ''}`,
        }))}
        onChange={(event) => navigate(`/experiments/${experiment.id}/edit/${event.currentTarget.value}`)}
      />
      <SaveStatus />
    </div>
  );
}

/** Always on screen: whether the server has what was written here. */
function SaveStatus(): ReactElement {
  const { save, store } = useWizard();
  const SaveIcon = saveIcons[save.kind];
  return (
    <div className={styles.status} data-kind={save.kind} role="status">
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
  const when = save.retryAtMs === null ? '.' : ' and sent as soon as it can be.';
  return `Not saved. ${save.problem.detail} Your changes are kept in this browser${when}`;
}

const quiet = { variant: 'subtle', color: 'gray', small: true } as const;

/** The plan as a file, in and out. */
function PlanFiles(): ReactElement {
  const { experiment, draft, store } = useWizard();
  const [isImporting, setImporting] = useState(false);
  const take = async (text: string) => {
    store.edit((await api.readPlan(text)).draft);
    showUndoToast({ message: 'The file replaced this draft', onUndo: () => store.edit(draft) });
  };
  const download = async (format: 'yaml' | 'json') => {
    await store.flush();
    window.location.assign(api.planUrl(experiment.id, format));
  };
  return (
    <div className={styles.files}>
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
        hint="It replaces this draft; that can be undone."
        onImport={take}
      />
    </div>
  );
}

interface StepState {
  /** `fix`: behind us or here, with something wrong. */
  mark: 'done' | 'now' | 'later' | 'fix';
  summary: string;
  issues: number;
}

/** One entry for each step, as the rail and the phone's list show it. */
function useStepStates(current: StepId): Readonly<Record<StepId, StepState>> {
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
      if (issues > 0 || (isPreflight && found?.kind === 'failed')) return 'fix';
      return isPreflight && (!found || preflight.isOutdated) ? 'later' : 'done';
    }
  });
  return Object.fromEntries(entries) as Record<StepId, StepState>;
}
