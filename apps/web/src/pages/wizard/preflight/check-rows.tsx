import { IconTool } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { StatusLine } from '../../../ui/status.tsx';
import { DataTable } from '../../../ui/tables/data-table.tsx';
import styles from './check-rows.module.css';
import { checkKind, type MergedCheck } from './summarise-preflight.ts';

type CheckRowsProps = { rows: readonly MergedCheck[] };

const rowKey = (check: MergedCheck): string => `${check.id}:${check.devices.join()}`;

/** One row a check: result, what was probed where, what was found and what to do. */
export function CheckTable({ rows }: CheckRowsProps): ReactElement {
  return (
    <DataTable
      label="Pre-flight checks"
      columns={[
        {
          id: 'status',
          head: 'Result',
          width: '152px',
          cell: (check: MergedCheck) => <StatusLine kind={checkKind(check)} />,
        },
        { id: 'check', head: 'Check', width: '34%', cell: (check) => <Probed check={check} /> },
        { id: 'evidence', head: 'What was found, and what to do', cell: (check) => <Found check={check} /> },
      ]}
      rows={rows}
      rowKey={rowKey}
    />
  );
}

/** The same on phones. */
export function CheckList({ rows }: CheckRowsProps): ReactElement {
  return (
    <ul aria-label="Pre-flight checks">
      {rows.map((check) => (
        <li key={rowKey(check)} className={styles.item}>
          <StatusLine kind={checkKind(check)} />
          <Probed check={check} />
          <Found check={check} />
        </li>
      ))}
    </ul>
  );
}

function Probed({ check: { label, devices } }: { check: MergedCheck }): ReactElement {
  return (
    <span className={styles.two}>
      {label}
      <span className="second">{devices.join(', ')}</span>
    </span>
  );
}

function Found({ check: { evidence, remedy } }: { check: MergedCheck }): ReactElement {
  return (
    <span className={styles.two}>
      {evidence}
      {remedy && (
        <span className={styles.remedy}>
          <IconTool size={14} stroke={2} aria-label="What to do:" />
          {remedy}
        </span>
      )}
    </span>
  );
}
