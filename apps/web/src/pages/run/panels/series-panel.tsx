import {
  type BandPoint,
  describeSeries,
  type SeriesData,
  type SeriesPoint,
  type TimeSeries,
  timeSeriesTable,
} from '@mqttlab/charts/kinds/time-series';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { type RunDetail, whySeriesGone } from '@mqttlab/shared/domain/runs/run';
import { formatNumber } from '@mqttlab/shared/format/number';
import { type ReactElement, type ReactNode, useMemo, useState } from 'react';
import { Chart } from '../../../charts/chart.tsx';
import { FigurePanel } from '../../../charts/panels/figure-panel.tsx';
import { growTop, resultPoints } from '../../../live/live-series.ts';
import { PickMenu } from '../../../ui/input/pick.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { identityOf } from '../../../ui/treatment-mark.tsx';
import styles from './panels.module.css';
import { measuredEndS, type RunDevice, readDevices } from './run-devices.tsx';

const title = 'Series per device';

/** One metric over time for every device, on one scale. */
export function SeriesPanel({ run, heightPx }: { run: RunDetail; heightPx: number }): ReactElement {
  const choices = useMemo(() => seriesChoices(run), [run]);
  const [chosen, setChosen] = useState('cpu');
  const choice = choices.find((item) => item.id === chosen) ?? choices[0];
  const lines = useMemo(() => (choice ? deviceLines(run, choice) : []), [run, choice]);
  const treatment = identityOf(run.treatment);
  if (!choice) {
    return (
      <Panel title={title}>
        <EmptyState sentence={whySeriesGone(run) ?? 'No device sent a series for this run.'} />
      </Panel>
    );
  }
  const { warmUpMs } = run.treatment.spec;
  const endS = measuredEndS(run);
  const to = Math.max(endS, ...lines.map(({ points }) => points.at(-1)?.t ?? 0));
  const highest = Math.max(
    ...lines.flatMap(({ points, band }) => [...points.map(({ v }) => v), ...band.map(({ hi }) => hi)]),
  );
  const { unit } = choice;
  const phases = [
    { from: -warmUpMs / 1000, to: 0, name: '', isShaded: true },
    { from: endS, to, name: '', isShaded: true },
  ];
  const lineOf = ({ points, band }: (typeof lines)[number]): TimeSeries =>
    band.length > 0 ? { treatment, points, band } : { treatment, points };
  return (
    <FigurePanel
      title={title}
      subtitle={unit}
      footnote="Shaded: warm-up and drain."
      table={timeSeriesTable({ unit, series: lines.map(lineOf) })}
    >
      <div className={styles.bar}>
        <PickMenu
          label="Of"
          value={choice.id}
          onChange={setChosen}
          options={choices.map((item) => ({ value: item.id, label: item.label, note: item.unit }))}
        />
      </div>
      <div style={{ height: heightPx }}>
        <DeviceStack
          rows={lines}
          rowPx={Math.floor((heightPx - axisPx - lines.length * 20) / lines.length)}
          asideOf={({ mean }) =>
            mean !== null && (
              <span className={styles.mean}>
                <b>
                  {formatNumber(mean)} {unit}
                </b>{' '}
                mean
              </span>
            )
          }
          chartOf={(line) => ({
            label: `${choice.label}, ${line.label}`,
            unit,
            xRange: [-warmUpMs / 1000, to],
            yRange: [0, growTop(null, highest)],
            series: [lineOf(line)],
            phases,
          })}
        />
      </div>
    </FigurePanel>
  );
}

const axisPx = 22;

type DeviceStackProps<Row> = {
  rows: readonly Row[];
  /** Height of each chart, without the axis below the last one. */
  rowPx: number;
  /** Shown next to the name of the device. */
  asideOf: (row: Row) => ReactNode;
  chartOf: (row: Row) => Omit<SeriesData, 'ySteps' | 'showsX' | 'heightPx'>;
};

/** One small chart per device, stacked over a common time axis. */
export function DeviceStack<Row extends RunDevice>(props: DeviceStackProps<Row>): ReactNode {
  const { rows, rowPx, asideOf, chartOf } = props;
  return rows.map((row, i) => {
    const isLast = i === rows.length - 1;
    return (
      <div key={row.key}>
        <div className={styles.head}>
          <span>
            {row.label} <span className="mono">{row.host}</span>
          </span>
          {asideOf(row)}
        </div>
        <Chart
          describe={describeSeries}
          {...chartOf(row)}
          ySteps={2}
          showsX={isLast}
          heightPx={rowPx + (isLast ? axisPx : 0)}
        />
      </div>
    );
  });
}

/** A selectable metric of the panel: one line per device that has it. */
interface SeriesChoice {
  id: string;
  label: string;
  unit: string;
  /**
   * Ids of series that are added, or a pattern for the mean of all matching series, one per core or sensor.
   */
  series: readonly string[] | RegExp;
  /** Factor from the stored to the displayed unit. Default: 1. */
  scale?: number;
  /** Ids of the series that form the band. */
  band?: readonly [string, string];
}

const choices: readonly SeriesChoice[] = [
  { id: 'cpu', label: 'CPU of the MQTT process', unit: '%', series: ['cpu.process'] },
  {
    id: 'memory',
    label: 'Resident memory of the MQTT process',
    unit: 'MB',
    series: ['memory.resident'],
    scale: 1e-6,
  },
  {
    id: 'network',
    label: 'Bytes through the interface, both directions',
    unit: 'kB/s',
    series: ['network.rx', 'network.tx'],
    scale: 1e-3,
  },
  {
    id: 'wire',
    label: 'Wire bytes of the connections, both directions',
    unit: 'kB/s',
    series: ['wire.rate'],
    scale: 1e-3,
  },
  { id: 'messages', label: 'Messages', unit: 'msg/s', series: ['messages.rate'] },
  {
    id: 'latency',
    label: 'Message latency, median with P5 to P95',
    unit: 'ms',
    series: ['latency.p50'],
    band: ['latency.p5', 'latency.p95'],
  },
  {
    id: 'reached',
    label: 'Attempts that reached the broker',
    unit: '%',
    series: ['probe.reached'],
    scale: 100,
  },
  { id: 'setUp', label: 'Connecting under abuse', unit: 'ms', series: ['probe.setUp'] },
  {
    id: 'held',
    label: 'The attacker’s connections or sessions',
    unit: 'connections',
    series: ['abuse.held'],
  },
  { id: 'device', label: 'CPU of the whole device', unit: '%', series: ['cpu.device'] },
  {
    id: 'stolen',
    label: 'CPU time withheld by the host of the virtual machine',
    unit: '%',
    series: ['cpu.stolen'],
  },
  {
    id: 'proportional',
    label: 'Proportional memory of the MQTT process',
    unit: 'MB',
    series: ['memory.proportional'],
    scale: 1e-6,
  },
  { id: 'temperature', label: 'Temperature', unit: '°C', series: /^temperature\./ },
  { id: 'frequency', label: 'CPU frequency, mean over the cores', unit: 'MHz', series: /^frequency\./ },
];

/** Series that are shown in separate panels. */
const elsewhere = /^(cpu\.core\d+|cpu\.agent|latency\..*|.*power.*)$/;

/** Returns the metrics for which at least one device in this run has a series. */
function seriesChoices(run: RunDetail): SeriesChoice[] {
  const known = choices.filter((choice) => run.results.some((result) => pointsOf(result, choice).length > 0));
  const named = (metric: string) =>
    choices.some(({ series }) => (series instanceof RegExp ? series.test(metric) : series.includes(metric)));
  const others = run.results
    .flatMap((result) => result.series)
    .filter(({ metric }) => !named(metric) && !elsewhere.test(metric))
    .map(({ metric, unit }) => ({ id: metric, label: metric, unit, series: [metric] }));
  return [...known, ...new Map(others.map((choice) => [choice.id, choice])).values()];
}

function pointsOf(result: RoleResult, { series, scale = 1 }: SeriesChoice): SeriesPoint[] {
  if (!(series instanceof RegExp)) return resultPoints(result, { series, scale });
  const found = result.series.map(({ metric }) => metric).filter((metric) => series.test(metric));
  return found.length === 0 ? [] : resultPoints(result, { series: found, scale: scale / found.length });
}

function deviceLines(run: RunDetail, choice: SeriesChoice) {
  const endS = measuredEndS(run);
  return readDevices(run, (result) => {
    const points = pointsOf(result, choice);
    if (points.length === 0) return null;
    const measured = points.filter(({ t }) => t > 0 && t <= endS);
    const sum = measured.reduce((total, { v }) => total + v, 0);
    /** Mean over the measure phase; null without points. */
    const mean = measured.length === 0 ? null : sum / measured.length;
    return { points, band: bandOf(result, choice), mean };
  });
}

function bandOf(result: RoleResult, { band, scale = 1 }: SeriesChoice): BandPoint[] {
  if (!band) return [];
  const [low, high] = band.map((id) => resultPoints(result, { series: [id], scale }));
  const tops = new Map(high?.map(({ t, v }) => [t, v]));
  return (low ?? []).flatMap(({ t, v }) => {
    const hi = tops.get(t);
    return hi === undefined ? [] : [{ t, lo: v, hi }];
  });
}
