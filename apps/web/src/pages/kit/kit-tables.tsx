import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { IconTable } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { IconButton } from '../../ui/input/icon-button.tsx';
import { NumberWithInterval } from '../../ui/number-with-interval.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { StatusLine } from '../../ui/status.tsx';
import type { StatusKind } from '../../ui/status-kinds.ts';
import { type Column, DataTable } from '../../ui/tables/data-table.tsx';
import styles from './kit.module.css';

type Row = {
  code: string;
  name: string;
  factors: string;
  status: StatusKind;
  meanMs: number;
  halfMs: number;
  bytes: number;
};

const rows: Row[] = [
  {
    code: 'E-121',
    name: 'Batching and cipher over Wi-Fi',
    factors: 'cipher × readings per message',
    status: 'running',
    meanMs: 3.7,
    halfMs: 1.15,
    bytes: 418e6,
  },
  {
    code: 'E-118',
    name: 'Cipher cost on Ethernet and Wi-Fi',
    factors: 'cipher × link',
    status: 'done',
    meanMs: -3.0,
    halfMs: 0.5,
    bytes: 912e6,
  },
  {
    code: 'E-109',
    name: 'Mutual TLS with larger RSA keys',
    factors: 'server key × client certificate',
    status: 'failed',
    meanMs: 18.1,
    halfMs: 5.4,
    bytes: 21e6,
  },
];

const columns: Column<Row>[] = [
  {
    id: 'name',
    head: 'Experiment',
    width: '38%',
    sortValue: (row) => row.name,
    cell: (row) => (
      <>
        <b className={styles.name}>{row.name}</b>
        <div className="second">
          <span className="mono">{row.code}</span> {row.factors}
        </div>
      </>
    ),
  },
  { id: 'status', head: 'Status', width: '18%', cell: (row) => <StatusLine kind={row.status} /> },
  {
    id: 'result',
    head: 'Main result, 95 % CI',
    numeric: true,
    sortValue: (row) => row.meanMs,
    cell: (row) => (
      <NumberWithInterval
        value={row.meanMs}
        lo={row.meanMs - row.halfMs}
        hi={row.meanMs + row.halfMs}
        unit="ms"
        signed
      />
    ),
  },
  {
    id: 'bytes',
    head: 'Data',
    unit: 'MB',
    numeric: true,
    hideOnPhone: true,
    width: '12%',
    sortValue: (row) => row.bytes,
    cell: (row) => formatQuantity(row.bytes, 'B').replace(/\D+$/, ''),
  },
];

const rowKey = (row: Row): string => row.code;

export function KitTables(): ReactElement {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(['E-118']));
  const [opened, setOpened] = useState('none');
  return (
    <div className={styles.columns}>
      <Panel title="Two-line rows" subtitle={`opened: ${opened}`} flush>
        <DataTable
          label="Experiments"
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          density="two-line"
          initialSort={{ columnId: 'result', direction: 'descending' }}
          selection={{ selected, onChange: setSelected, rowName: (row) => row.name }}
          onOpenRow={(row) => setOpened(row.code)}
          isLive={(row) => row.status === 'running'}
        />
      </Panel>
      <Panel
        title="Dense rows"
        flush
        actions={<IconButton icon={IconTable} label="Columns" onClick={() => undefined} />}
      >
        <DataTable
          label="Parameters"
          columns={columns.slice(1)}
          rows={rows}
          rowKey={rowKey}
          density="dense"
        />
      </Panel>
      <Panel title="Loading" flush>
        <TableSkeleton rows={3} />
      </Panel>
    </div>
  );
}
