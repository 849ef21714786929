import {
  retransmissionsOf,
  type ShapingRow,
  shapingRows,
} from '@mqttlab/shared/catalogue/evidence/shaping-evidence';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo } from 'react';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import styles from '../run-extras.module.css';

const qualities: Readonly<Record<ShapingRow['quality'], string>> = {
  'in place': 'In place',
  loss: 'Loss',
  delay: 'Delay',
  rate: 'Rate',
};

const columns: readonly Column<ShapingRow>[] = [
  { id: 'flow', head: 'Packets', width: '152px', cell: ({ flow }) => flow },
  { id: 'quality', head: 'What', width: '72px', cell: ({ quality }) => qualities[quality] },
  { id: 'asked', head: 'Asked', width: '120px', cell: ({ asked }) => asked },
  {
    id: 'measured',
    head: 'Measured',
    width: 'auto',
    cell: ({ ok, measured }) =>
      ok === null ? measured : <StatusLine kind={ok ? 'passed' : 'failed'}>{measured}</StatusLine>,
  },
];

/** What was asked of the link beside what the kernel counted; nothing where the link was left as it is. */
export function ImpairmentPanel({ run }: { run: RunDetail }): ReactElement | null {
  const rows = useMemo(() => shapingRows({ spec: run.treatment.spec, results: run.results }), [run]);
  if (rows.length === 0) return null;
  return (
    <Panel title="Impairment" subtitle={`of the link ${run.treatment.spec.link}`} flush>
      <DataTable
        label="Impairment asked and measured"
        density="dense"
        columns={columns}
        rows={rows}
        rowKey={({ flow, quality }) => `${flow} ${quality}`}
      />
      <p className={styles.note}>{tcpWords(run)}</p>
    </Panel>
  );
}

function tcpWords({ treatment: { spec }, results }: RunDetail): string {
  const tcp = retransmissionsOf({ spec, results });
  if (tcp === null) return 'What TCP sent again was not counted.';
  const share = tcp.sent === 0 ? '' : ` (${formatNumber((100 * tcp.again) / tcp.sent)} %)`;
  const count = `${formatCount(tcp.again)} of ${formatCount(tcp.sent)} TCP segments${share}`;
  return `The devices sent ${count} again from warm-up to drain. Only packets of the broker’s port are touched.`;
}
