import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { Plan, Treatment } from '@mqttlab/shared/domain/plan';
import { expectedMessages } from '@mqttlab/shared/planning/estimate';
import type { ReactElement } from 'react';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatCount } from '../../ui/format/number.ts';
import { Panel } from '../../ui/panel.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { plural } from '../step-summaries.ts';
import styles from './review-tables.module.css';

/** Every treatment with the levels that vary, in the colours and markers that its charts will have. */
export function TreatmentTable({ plan }: { plan: Plan }): ReactElement {
  const columns: Column<Treatment>[] = [
    {
      id: 'treatment',
      head: 'Treatment',
      cell: (row) => (
        <span className={styles.name}>
          <TreatmentMark index={row.mark} />
          {row.shortLabel}
          {row.key === plan.baselineKey && <span className="second">baseline</span>}
        </span>
      ),
    },
    ...plan.varied.map(
      (id): Column<Treatment> => ({
        id,
        head: findFactor(id)?.label ?? id,
        cell: (row) => <Level id={id} value={row.levels[id] ?? null} />,
      }),
    ),
    {
      id: 'messages',
      head: 'Messages in a run',
      numeric: true,
      cell: (row) => {
        const messages = expectedMessages(row);
        return messages === null ? 'as many as go' : formatCount(messages);
      },
    },
  ];
  return (
    <Panel flush title="Treatments" subtitle={`${plural(plan.treatments.length, 'treatment')}`}>
      <div className={styles.scroll}>
        <DataTable
          label="Treatments"
          density="dense"
          columns={columns}
          rows={plan.treatments}
          rowKey={(row) => row.key}
        />
      </div>
    </Panel>
  );
}

function Level({ id, value }: { id: string; value: string | number | null }): ReactElement {
  if (value === null) return <span className="dim">does not apply</span>;
  return <>{findFactor(id)?.levelLabel(value) ?? value}</>;
}
