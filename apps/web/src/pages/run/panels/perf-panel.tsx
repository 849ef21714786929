import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { formatShare } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo } from 'react';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { type PerfRow, perfRows } from '../models/perf-rows.ts';

const millions = (head: string, read: (row: PerfRow) => number | null): Column<PerfRow> => ({
  id: head,
  head,
  unit: 'M',
  numeric: true,
  cell: (row) => {
    const value = read(row);
    return value === null ? NO_VALUE : formatNumber(value / 1e6);
  },
});

const columns: readonly Column<PerfRow>[] = [
  { id: 'device', head: 'Process', cell: ({ label }) => label },
  millions('Cycles', (row) => row.cycles),
  millions('Instructions', (row) => row.instructions),
  {
    id: 'ipc',
    head: 'Per cycle',
    numeric: true,
    cell: ({ perCycle }) => (perCycle === null ? NO_VALUE : formatNumber(perCycle)),
  },
  millions('Cache references', (row) => row.cacheReferences),
  {
    id: 'misses',
    head: 'Missed',
    numeric: true,
    cell: ({ missRatio }) => (missRatio === null ? NO_VALUE : formatShare(missRatio)),
  },
];

/** What the processor counted of each MQTT process while measuring. Nothing where the kernel does not tell. */
export function PerfPanel({ run }: { run: RunDetail }): ReactElement | null {
  const rows = useMemo(() => perfRows(run), [run]);
  if (rows.length === 0) return null;
  return (
    <Panel title="Hardware counters" subtitle="of the MQTT processes, while measuring" flush>
      <DataTable
        label="Hardware counters"
        density="dense"
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
      />
    </Panel>
  );
}
