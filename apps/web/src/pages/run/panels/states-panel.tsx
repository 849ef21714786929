import type { StateBytes } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount, NO_VALUE } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo, useState } from 'react';
import { stackedTable } from '../../../charts/datasets/stacked-bars-data.ts';
import { ChartPanel } from '../../../charts/panels/chart-panel.tsx';
import { StackedBars } from '../../../charts/stacked-bars.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { DeviceSwitch } from '../device-switch.tsx';
import { pickDevice } from '../models/run-devices.ts';
import { stateBars, stateNames, statesOf } from '../models/states-model.ts';
import styles from '../run-extras.module.css';

/** The bytes that it takes to reach each state of a connection; nothing for other runs. */
export function StatesPanel({ run }: { run: RunDetail }): ReactElement | null {
  const all = useMemo(() => statesOf(run), [run]);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = pickDevice(all, chosen, 'publisher');
  const bars = useMemo(() => shown && stateBars(shown), [shown]);
  if (!shown || !bars) return null;
  return (
    <ChartPanel
      title="Bytes to each state"
      subtitle="B for one connection"
      table={stackedTable(bars, { head: 'State', unit: 'B' })}
      actions={<DeviceSwitch devices={all} value={shown.key} onChange={setChosen} />}
      footnote="Sent and received are TCP payload. Frames count as a capture counts them: with Ethernet, IP and TCP headers, acknowledgements too."
    >
      <StackedBars
        label={`Bytes to each state of run ${run.id}`}
        unit="B"
        treatmentIndex={run.treatment.mark}
        data={bars}
      />
      <div className={styles.table}>
        <DataTable
          label="Bytes to each state"
          density="dense"
          columns={columns}
          rows={shown.states}
          rowKey={(row) => row.state}
        />
      </div>
    </ChartPanel>
  );
}

const bytes = (head: string, read: (row: StateBytes) => number | null, unit = 'B'): Column<StateBytes> => ({
  id: head,
  head,
  ...(unit ? { unit } : {}),
  numeric: true,
  cell: (row) => {
    const value = read(row);
    return value === null ? NO_VALUE : formatCount(value);
  },
});

const columns: readonly Column<StateBytes>[] = [
  {
    id: 'state',
    head: 'State',
    cell: (row) => (
      <>
        {row.state} <span className="dim">{stateNames[row.state]}</span>
      </>
    ),
  },
  bytes('Sent', (row) => row.bytesSent),
  bytes('Received', (row) => row.bytesReceived),
  bytes('Frames', (row) => row.frames, ''),
  bytes('On the wire', (row) => row.frameBytes),
];
