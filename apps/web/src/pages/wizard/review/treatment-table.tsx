import { Box } from '@mantine/core';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { Plan, Treatment } from '@mqttlab/shared/domain/plans/plan';
import { formatCount } from '@mqttlab/shared/format/number';
import { expectedMessages } from '@mqttlab/shared/planning/estimate';
import type { ReactElement } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import { type Column, DataTable } from '../../../ui/tables/data-table.tsx';
import { TreatmentMark } from '../../../ui/treatment-mark.tsx';
import { plural } from '../step-summaries.ts';
import styles from './review-tables.module.css';

/** Every treatment with the levels that vary, in the colours and markers that its charts will have. */
export function TreatmentTable({ plan }: { plan: Plan }): ReactElement {
  const counts = new Set(plan.treatments.map(expectedMessages));
  const columns: Column<Treatment>[] = [
    {
      id: 'treatment',
      head: 'Mark',
      cell: (row) => (
        <span className={styles.name}>
          <TreatmentMark index={row.mark} />
          {row.key === plan.baselineKey && <span className="second">baseline</span>}
        </span>
      ),
    },
    ...plan.varied.map(
      (id): Column<Treatment> => ({
        id,
        head: findFactor(id)?.label ?? id,
        sortValue: (row) => row.levels[id],
        cell: (row) => <Level id={id} value={row.levels[id] ?? null} />,
      }),
    ),
    ...(counts.size > 1 ? [messagesColumn] : []),
  ];
  return (
    <Panel flush title="Treatments" subtitle={subtitleOf(plan.treatments.length, counts)}>
      <Box
        className={styles.scroll ?? ''}
        role="region"
        aria-label="Treatments, scrolls sideways"
        tabIndex={0}
      >
        <DataTable
          label="Treatments"
          density="dense"
          columns={columns}
          rows={plan.treatments}
          rowKey={(row) => row.key}
        />
      </Box>
    </Panel>
  );
}

const messagesColumn: Column<Treatment> = {
  id: 'messages',
  head: 'Messages in a run',
  numeric: true,
  sortValue: expectedMessages,
  cell: (row) => {
    const messages = expectedMessages(row);
    return messages === null ? 'as many as go' : formatCount(messages);
  },
};

function subtitleOf(treatments: number, counts: ReadonlySet<number | null>): string {
  const [messages] = counts;
  const each =
    messages === null || messages === undefined ? 'as many messages as go' : plural(messages, 'message');
  return counts.size > 1
    ? plural(treatments, 'treatment')
    : `${plural(treatments, 'treatment')}, ${each} in a run`;
}

function Level({ id, value }: { id: string; value: string | number | null }): ReactElement {
  const factor = findFactor(id);
  if (value === null || !factor) return <span className="dim">does not apply</span>;
  return (
    <span className="nowrap" title={factor.levelLabel(value)}>
      {factor.shortLabel(value)}
    </span>
  );
}
