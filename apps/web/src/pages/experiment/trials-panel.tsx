import { judgeStopping } from '@mqttlab/shared/analysis/judge-stopping';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Excluded, Plan, Trial } from '@mqttlab/shared/domain/plans/plan';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { countingAttempt, countingAttempts, type RunRow } from '@mqttlab/shared/domain/runs/run';
import { isFinished, isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { formatCount, formatFixed } from '@mqttlab/shared/format/number';
import { inSentence } from '@mqttlab/shared/format/unit';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { IconBan, IconTable } from '@tabler/icons-react';
import { type ReactElement, useMemo, useState } from 'react';
import { ProgressGrid } from '../../charts/progress-grid.tsx';
import { figureColumn, wordColumn } from '../../ui/columns.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { runStatusKind } from '../experiments/describe-experiment.ts';
import styles from './experiment.module.css';
import { medianRunMs } from './experiment-figures.tsx';
import { cellDecimals, groupAttempts, makeTrialGrid, type TrialAttempts } from './trial-grid.ts';

type TrialsPanelProps = {
  experiment: ExperimentDetail;
  plan: Plan;
  /** Server time, Unix ms. */
  nowMs: number;
  /** If undefined, cells are not links. */
  onOpenRun?: ((runId: number) => void) | undefined;
};

/** The grid of treatments x repetitions, also available as a table. */
export function TrialsPanel({ experiment, plan, nowMs, onOpenRun }: TrialsPanelProps): ReactElement {
  const isPhone = useIsPhone();
  const [showsTable, setShowsTable] = useState(false);
  const { runs } = experiment;
  const response = useMemo(() => describeResponse(plan.response), [plan.response]);
  const attempts = useMemo(() => groupAttempts(runs), [runs]);
  const decimals = useMemo(
    () =>
      cellDecimals(
        runs.flatMap((run) => run.metrics[plan.response] ?? []),
        isPhone ? 4 : 5,
      ),
    [runs, plan.response, isPhone],
  );
  const isOver = isFinished(experiment.status);
  const usualRunMs = useMemo(() => medianRunMs(runs) ?? estimate(plan, null).runMs, [runs, plan]);
  const grid = useMemo(
    () => makeTrialGrid(plan, attempts, { response, decimals, nowMs, usualRunMs, isOver }),
    [plan, attempts, response, decimals, nowMs, usualRunMs, isOver],
  );
  const current = runs.find((run) => run.id === experiment.currentRunId);
  const subtitle = `${inSentence(response.label)}, ${response.unit}`;
  return (
    <Panel
      title={isPhone ? 'Trials' : 'Treatments × repetitions'}
      subtitle={subtitle}
      fill={!isPhone}
      actions={
        <IconButton
          icon={IconTable}
          label={showsTable ? 'Show as a grid' : 'Show as a table'}
          pressed={showsTable}
          onClick={() => setShowsTable(!showsTable)}
        />
      }
    >
      <div className={styles.stage}>
        {!(showsTable && isPhone) && (
          <div className={styles.grid} data-hidden={showsTable || undefined} inert={showsTable}>
            <ProgressGrid
              label={`Treatments by repetitions, ${subtitle}`}
              treatmentHead={grid.treatmentHead}
              levelHeads={grid.levelHeads}
              rows={grid.rows}
              repetitions={plan.repetitions}
              {...(current ? { currentRepetition: current.block } : {})}
              onOpenRun={(runId) => onOpenRun?.(Number(runId))}
            />
          </div>
        )}
        {showsTable && (
          <div className={styles.table}>
            <TrialsTable
              plan={plan}
              attempts={attempts}
              response={response}
              decimals={decimals}
              onOpenRun={onOpenRun}
            />
          </div>
        )}
      </div>
      <StoppingLine plan={plan} runs={runs} />
      <ExcludedList excluded={plan.excluded} />
    </Panel>
  );
}

function describeResponse(id: string): { id: string; label: string; unit: string } {
  const metric = findMetric(id);
  return { id, label: metric?.label ?? id, unit: metric?.unit ?? '' };
}

type StoppingLineProps = { plan: Plan; runs: readonly RunRow[] };

/** Status of a plan with early stopping, with the reason why it continues or has stopped. */
function StoppingLine({ plan, runs }: StoppingLineProps): ReactElement | null {
  const sentence = useMemo(() => {
    const blocks = settledBlocks(plan, runs);
    return blocks === 0 ? null : (judgeStopping(plan, runs, blocks)?.sentence ?? null);
  }, [plan, runs]);
  if (!plan.stopping) return null;
  const { atLeast } = plan.stopping;
  const { repetitions } = plan;
  return (
    <p className={styles.stopping} role="status">
      {sentence ?? `${atLeast} to ${repetitions} repetitions, until the intervals are narrow enough.`}
    </p>
  );
}

/** Returns the number of leading repetitions in which every trial has ended. */
export function settledBlocks(plan: Pick<Plan, 'trials' | 'repetitions'>, runs: readonly RunRow[]): number {
  const last = new Map(countingAttempts(runs).map((run) => [run.trialNumber, run]));
  const isOver = (trialNumber: number) => {
    const run = last.get(trialNumber);
    return run !== undefined && isSettled(run.status);
  };
  for (let block = 1; block <= plan.repetitions; block += 1) {
    const trials = plan.trials.filter((trial) => trial.block === block);
    if (!trials.every(({ number }) => isOver(number))) return block - 1;
  }
  return plan.repetitions;
}

/** Lists combinations that the testbed cannot run, with reasons. */
function ExcludedList({ excluded }: { excluded: readonly Excluded[] }): ReactElement | null {
  if (excluded.length === 0) return null;
  const words =
    excluded.length === 1 ? '1 combination is' : `${formatCount(excluded.length)} combinations are`;
  return (
    <details className={styles.excluded}>
      <summary>
        <IconBan size={14} stroke={2.2} aria-hidden />
        {words} impossible
      </summary>
      <ul>
        {excluded.map((item) => (
          <li key={JSON.stringify(item.levels)}>
            <s>{item.label}</s> {item.reasons.map(({ reason }) => reason).join('; ')}
          </li>
        ))}
      </ul>
    </details>
  );
}

type TrialsTableProps = {
  plan: Plan;
  attempts: TrialAttempts;
  response: { id: string; label: string; unit: string };
  decimals: number;
  onOpenRun?: ((runId: number) => void) | undefined;
};

type Row = { trial: Trial; run: RunRow | null; label: string; mark: number };

const sortable = { isSortable: true, format: String };

const rowKey = (row: Row): string => String(row.trial.number);

/** All trials in execution order with their last attempts. */
function TrialsTable(props: TrialsTableProps): ReactElement {
  const { plan, attempts, response, decimals, onOpenRun } = props;
  const treatments = new Map(plan.treatments.map((treatment) => [treatment.key, treatment]));
  const rows = plan.trials.map((trial): Row => {
    const treatment = treatments.get(trial.treatmentKey);
    return {
      trial,
      run: countingAttempt(attempts.get(trial.number) ?? []) ?? null,
      label: treatment?.shortLabel ?? trial.treatmentKey,
      mark: treatment?.mark ?? 1,
    };
  });
  const columns: Column<Row>[] = [
    { ...figureColumn('Turn', ({ trial }) => trial.number, sortable), width: '56px' },
    {
      ...wordColumn('Treatment', (row) => (
        <span className={styles.name}>
          <TreatmentMark index={row.mark} variant="dot" />
          <span>{row.label}</span>
        </span>
      )),
      width: '38%',
      sortValue: (row) => row.label,
    },
    { ...figureColumn('Rep', ({ trial }) => trial.block, sortable), width: '48px', hideOnPhone: true },
    {
      ...wordColumn('Status', ({ run }) => <StatusLine kind={run ? runStatusKind(run) : 'planned'} />),
      width: '112px',
      sortValue: ({ run }) => run?.status ?? 'planned',
    },
    figureColumn(shortHead(response.label), ({ run }) => run?.metrics[response.id] ?? null, {
      unit: response.unit,
      isSortable: true,
      format: (value) => formatFixed(value, decimals),
    }),
  ];
  return (
    <DataTable
      label="Trials"
      density="dense"
      columns={columns}
      rows={rows}
      rowKey={rowKey}
      {...(onOpenRun ? { onOpenRow: (row: Row) => row.run && onOpenRun(row.run.id) } : {})}
    />
  );
}

/** Shortens "Latency, median" to its last part; the panel title contains the rest. */
function shortHead(label: string): string {
  const word = label.split(', ').at(-1) ?? label;
  return word.charAt(0).toUpperCase() + word.slice(1);
}
