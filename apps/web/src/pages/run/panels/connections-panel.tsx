import type { BoxPanel } from '@mqttlab/charts/kinds/box';
import type { DocumentTable } from '@mqttlab/charts/table';
import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import type { HistogramName } from '@mqttlab/shared/domain/runs/role-result';
import { type RunDetail, runName } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { type ReactElement, useMemo } from 'react';
import { BoxChart } from '../../../charts/box-chart.tsx';
import { FigurePanel } from '../../../charts/panels/figure-panel.tsx';
import { figureColumn, wordColumn } from '../../../ui/columns.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { type DeviceEvidence, readDevices, useDevice } from './run-devices.tsx';
import { TableBelow } from './run-table.tsx';

/** Distribution of each phase over all connections in a connection run. Hidden for other runs. */
export function ConnectionsPanel({ run }: { run: RunDetail }): ReactElement | null {
  const all = useMemo(() => connectionsOf(run), [run]);
  const { shown, deviceSwitch } = useDevice(all, 'publisher');
  const panels = useMemo(
    (): BoxPanel[] => (shown ? [{ title: '', boxes: boxesOf(shown, run) }] : []),
    [shown, run],
  );
  if (!shown) return null;
  return (
    <FigurePanel
      title="Connections"
      subtitle={describe(shown)}
      table={tableOf(shown)}
      actions={deviceSwitch}
      footnote="Box P25 to P75, whiskers P5 to P95, marker and figure: mean. Connections in one run are not independent, so intervals are computed over runs."
    >
      <BoxChart
        label={`Phases of the connections in ${runName(run)}`}
        unit="ms"
        centre="mean"
        panels={panels}
        heightPx={240}
      />
      <TableBelow
        label="Phases of all connections, ms"
        columns={columns}
        rows={shown.phases}
        rowKey={(row) => row.label}
      />
    </FigurePanel>
  );
}

const ms = { unit: 'ms' };

const columns: readonly Column<PhaseSpread>[] = [
  wordColumn('Phase', (row) => row.label),
  figureColumn('Connections', (row) => row.count, { format: formatCount }),
  figureColumn('Mean', (row) => row.mean, ms),
  figureColumn('P50', (row) => row.p50, ms),
  figureColumn('P95', (row) => row.p95, ms),
  figureColumn('P99', (row) => row.p99, ms),
  figureColumn('Largest', (row) => row.max, ms),
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

function tableOf({ phases }: Connections): DocumentTable {
  const heads = ['Smallest', 'P5', 'P25', 'P50', 'P75', 'P95', 'P99', 'Largest', 'Mean'];
  const spread = ['min', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99', 'max', 'mean'] as const;
  return {
    columns: [
      { head: 'Phase' },
      { head: 'Connections', format: formatCount },
      ...heads.map((head) => ({ head, unit: 'ms' })),
    ],
    rows: phases.map((phase) => [phase.label, phase.count, ...spread.map((figure) => phase[figure])]),
  };
}

const phaseNames: readonly { name: HistogramName; label: string }[] = [
  { name: 'phase.tcp', label: 'tcp' },
  { name: 'phase.tls', label: 'tls' },
  { name: 'phase.connect', label: 'connect' },
  { name: 'phase.subscribe', label: 'subscribe' },
  { name: 'phase.set-up', label: 'set-up' },
];

/** Duration of a phase over all connections of a device, in ms. */
type PhaseSpread = ReturnType<typeof spreadOf>;
type Connections = ReturnType<typeof connectionsOf>[number];

/** Returns the devices that opened more than one connection. */
export function connectionsOf(run: DeviceEvidence) {
  return readDevices(run, ({ histograms, counters, phases: records }) => {
    const phases = phaseNames.flatMap(({ name, label }) => {
      const json = histograms[name];
      return json && json.count > 0 ? [spreadOf(label, LatencyHistogram.fromJson(json))] : [];
    });
    if (phases.length === 0) return null;
    const { connectionsOpened = 0, connectionsFailed = 0 } = counters ?? {};
    const measure = records.find((record) => record.phase === 'measure');
    const opened = connectionsOpened || Math.max(...phases.map(({ count }) => count));
    return {
      phases,
      opened,
      failed: connectionsFailed,
      /** Rate over the measure phase; null if its duration is unknown. */
      perSecond: measure && measure.durationUs > 0 ? opened / (measure.durationUs / 1e6) : null,
    };
  });
}

function spreadOf(label: string, histogram: LatencyHistogram) {
  const ms = (us: number | null) => (us ?? 0) / 1000;
  const at = (percent: number) => ms(histogram.percentile(percent));
  return {
    label,
    count: histogram.count,
    min: ms(histogram.minUs),
    p5: at(5),
    p25: at(25),
    p50: at(50),
    p75: at(75),
    p95: at(95),
    /** null if there are too few connections. */
    p99: histogram.count >= enoughFor(99) ? at(99) : null,
    max: ms(histogram.maxUs),
    mean: ms(histogram.meanUs),
  };
}
