import {
  describeStacks,
  type StackedBars as StackedBarsData,
  stackedTable,
} from '@mqttlab/charts/kinds/stack';
import type { StateBytes } from '@mqttlab/shared/domain/runs/role-result';
import { type RunDetail, runName } from '@mqttlab/shared/domain/runs/run';
import { formatCount } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo } from 'react';
import { Chart } from '../../../charts/chart.tsx';
import { FigurePanel } from '../../../charts/panels/figure-panel.tsx';
import { figureColumn, wordColumn } from '../../../ui/columns.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { type DeviceEvidence, readDevices, useDevice } from './run-devices.tsx';
import { TableBelow } from './run-table.tsx';

/** Bytes needed to reach each connection state. Hidden for other workloads. */
export function StatesPanel({ run }: { run: RunDetail }): ReactElement | null {
  const all = useMemo(() => statesOf(run), [run]);
  const { shown, deviceSwitch } = useDevice(all, 'publisher');
  const bars = useMemo(() => shown && stateBars(shown), [shown]);
  if (!shown || !bars) return null;
  return (
    <FigurePanel
      title="Bytes to each state"
      subtitle="B per connection"
      table={stackedTable(bars, { head: 'State', unit: 'B' })}
      actions={deviceSwitch}
      footnote="Sent and received: TCP payload. On the wire: frames as in a capture, with Ethernet, IP and TCP headers and acknowledgements."
    >
      <Chart
        describe={describeStacks}
        label={`Bytes to reach each state in ${runName(run)}`}
        unit="B"
        treatmentIndex={run.treatment.mark}
        data={bars}
      />
      <TableBelow
        label="Bytes to each state"
        columns={columns}
        rows={shown.states}
        rowKey={(row) => row.state}
      />
    </FigurePanel>
  );
}

/** Names of the states in the table. */
const stateNames: Readonly<Record<StateBytes['state'], string>> = {
  CON: 'connected',
  SUB: 'subscribed',
  PUB: 'published',
  DISC: 'disconnected',
};

const bytes = { unit: 'B', format: formatCount };

const columns: readonly Column<StateBytes>[] = [
  wordColumn('State', (row) => (
    <>
      {row.state} <span className="dim">{stateNames[row.state]}</span>
    </>
  )),
  figureColumn('Sent', (row) => row.bytesSent, bytes),
  figureColumn('Received', (row) => row.bytesReceived, bytes),
  figureColumn('Frames', (row) => row.frames, { format: formatCount }),
  figureColumn('On the wire', (row) => row.frameBytes, bytes),
];

export function statesOf(run: DeviceEvidence) {
  return readDevices(run, ({ states }) => (states.length > 0 ? { states } : null));
}

/**
 * Returns the bytes of Ethernet, IP and TCP headers, which are frames minus payload; null if frames were not
 * reported.
 */
export function headerBytes({ frameBytes, bytesSent, bytesReceived }: StateBytes): number | null {
  return frameBytes === null ? null : frameBytes - bytesSent - bytesReceived;
}

/** Returns one bar per state. Headers are a separate part only if they are known for all states. */
export function stateBars({ states }: { states: readonly StateBytes[] }): StackedBarsData {
  const hasHeaders = states.every((state) => state.frameBytes !== null);
  return {
    parts: ['sent', 'received', ...(hasHeaders ? ['Ethernet, IP and TCP headers'] : [])],
    bars: states.map((state) => ({
      name: state.state,
      parts: [
        state.bytesSent,
        state.bytesReceived,
        ...(hasHeaders ? [Math.max(0, headerBytes(state) ?? 0)] : []),
      ],
    })),
  };
}
