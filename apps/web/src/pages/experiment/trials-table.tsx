import type { Plan, Trial } from '@mqttlab/shared/domain/plans/plan';
import type { RunRow } from '@mqttlab/shared/domain/runs/run';
import { countingAttempt } from '@mqttlab/shared/domain/runs/run';
import { formatFixed } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { figureColumn, wordColumn } from '../../ui/columns.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { runStatusKind } from '../experiments/describe-experiment.ts';
import styles from './experiment.module.css';
import type { TrialAttempts } from './trial-grid.ts';

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

/** Every Trial in its turn with its last attempt: the grid as a table. */
export function TrialsTable(props: TrialsTableProps): ReactElement {
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

/** "Latency, median" is known from the panel's head: its last word is enough here. */
function shortHead(label: string): string {
  const word = label.split(', ').at(-1) ?? label;
  return word.charAt(0).toUpperCase() + word.slice(1);
}
