import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo, useState } from 'react';
import { BoxChart } from '../../../charts/box-chart.tsx';
import type { BoxPanel } from '../../../charts/datasets/box-chart-data.ts';
import type { ChartTable } from '../../../charts/datasets/chart-table.ts';
import { ChartPanel } from '../../../charts/panels/chart-panel.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { DeviceSwitch } from '../device-switch.tsx';
import { type Connections, connectionsOf, type PhaseSpread } from '../models/connections-model.ts';
import { pickDevice } from '../models/run-devices.ts';
import styles from '../run-extras.module.css';

/** Every connection of a run that opens many: each phase with its spread. Nothing for other runs. */
export function ConnectionsPanel({ run }: { run: RunDetail }): ReactElement | null {
  const all = useMemo(() => connectionsOf(run), [run]);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = pickDevice(all, chosen, 'publisher');
  const panels = useMemo(
    (): BoxPanel[] => (shown ? [{ title: '', boxes: boxesOf(shown, run) }] : []),
    [shown, run],
  );
  if (!shown) return null;
  return (
    <ChartPanel
      title="Connections"
      subtitle={describe(shown)}
      table={tableOf(shown)}
      actions={<DeviceSwitch devices={all} value={shown.key} onChange={setChosen} />}
      footnote="Box P25 to P75, whiskers P5 to P95, marker and figure: mean. Connections of one run are not independent: intervals come from comparing runs."
    >
      <BoxChart
        label={`Phases of the connections of run ${run.id}`}
        unit="ms"
        panels={panels}
        heightPx={240}
      />
      <div className={styles.table}>
        <DataTable
          label="Phases of all connections, ms"
          density="dense"
          columns={columns}
          rows={shown.phases}
          rowKey={(row) => row.label}
        />
      </div>
    </ChartPanel>
  );
}

const figure = (head: string, read: (row: PhaseSpread) => number | null): Column<PhaseSpread> => ({
  id: head,
  head,
  unit: 'ms',
  numeric: true,
  cell: (row) => {
    const value = read(row);
    return value === null ? NO_VALUE : formatNumber(value);
  },
});

const columns: readonly Column<PhaseSpread>[] = [
  { id: 'phase', head: 'Phase', cell: (row) => row.label },
  { id: 'count', head: 'Connections', numeric: true, cell: (row) => formatCount(row.count) },
  figure('Mean', (row) => row.mean),
  figure('P50', (row) => row.p50),
  figure('P95', (row) => row.p95),
  figure('P99', (row) => row.p99),
  figure('Largest', (row) => row.max),
];

function boxesOf({ phases }: Connections, run: RunDetail) {
  return phases.map((phase) => ({
    ...phase,
    treatment: { index: run.treatment.mark, label: phase.label, shortLabel: phase.label },
  }));
}

function describe({ opened, failed, perSecond }: Connections): string {
  return [
    `${formatCount(opened)} opened`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(perSecond === null ? [] : [`${formatNumber(perSecond)}/s`]),
  ].join(', ');
}

function tableOf({ phases }: Connections): ChartTable {
  const heads = ['Smallest', 'P5', 'P25', 'P50', 'P75', 'P95', 'P99', 'Largest', 'Mean'];
  return {
    columns: [
      { head: 'Phase' },
      { head: 'Connections', format: formatCount },
      ...heads.map((head) => ({ head, unit: 'ms' })),
    ],
    rows: phases.map(({ label, count, min, p5, p25, p50, p75, p95, p99, max, mean }) => [
      label,
      count,
      min,
      p5,
      p25,
      p50,
      p75,
      p95,
      p99,
      max,
      mean,
    ]),
  };
}
