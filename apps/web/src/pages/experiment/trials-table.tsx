import type { Plan, Treatment, Trial } from '@mqttlab/shared/domain/plans/plan';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { countingAttempt } from '@mqttlab/shared/domain/runs/run';
import { formatFixed, NO_VALUE } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { runStatusKind } from '../run/models/run-status.ts';
import type { TrialAttempts } from './trial-attempts.ts';
import { barIdentity } from './trial-rows.ts';
import styles from './trials-table.module.css';

export type TrialsTableProps = {
  plan: Plan;
  attempts: TrialAttempts;
  response: { id: string; label: string; unit: string };
  decimals: number;
  onOpenRun?: ((runId: number) => void) | undefined;
};

type Row = { trial: Trial; run: RunSummary | null; label: string; mark: number };

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
      label: treatment ? nameOf(treatment, plan) : trial.treatmentKey,
      mark: treatment?.mark ?? 1,
    };
  });
  const responseOf = ({ run }: Row) => run?.metrics[response.id] ?? null;
  const columns: Column<Row>[] = [
    {
      id: 'turn',
      head: 'Turn',
      numeric: true,
      width: '56px',
      sortValue: (row) => row.trial.number,
      cell: (row) => row.trial.number,
    },
    {
      id: 'treatment',
      head: 'Treatment',
      width: '38%',
      sortValue: (row) => row.label,
      cell: (row) => (
        <span className={styles.name}>
          <TreatmentMark index={row.mark} variant="dot" />
          <span>{row.label}</span>
        </span>
      ),
    },
    {
      id: 'rep',
      head: 'Rep',
      numeric: true,
      width: '48px',
      sortValue: (row) => row.trial.block,
      cell: (row) => row.trial.block,
      hideOnPhone: true,
    },
    {
      id: 'status',
      head: 'Status',
      width: '112px',
      sortValue: (row) => row.run?.status ?? 'planned',
      cell: (row) => <StatusLine kind={row.run ? runStatusKind(row.run) : 'planned'} />,
    },
    {
      id: 'value',
      head: shortHead(response.label),
      unit: response.unit,
      numeric: true,
      sortValue: responseOf,
      cell: (row) => {
        const value = responseOf(row);
        return value === null ? NO_VALUE : formatFixed(value, decimals);
      },
    },
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

/** "AES-256-GCM QoS 1": what tells it apart comes first. */
function nameOf(treatment: Treatment, plan: Plan): string {
  return [barIdentity(treatment, plan).shortLabel, treatment.rowLabel].filter(Boolean).join(' ');
}

/** "Latency, median" is known from the panel's head: its last word is enough here. */
function shortHead(label: string): string {
  const word = label.split(', ').at(-1) ?? label;
  return word.charAt(0).toUpperCase() + word.slice(1);
}
