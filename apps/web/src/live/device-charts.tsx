import { pagePalette } from '@mqttlab/charts/drawing/palette';
import { drawSparkline } from '@mqttlab/charts/kinds/sparkline';
import { describeSeries, type SeriesPoint } from '@mqttlab/charts/kinds/time-series';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatFixed, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import { displayUnit } from '@mqttlab/shared/format/unit';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { type CSSProperties, type ReactElement, useMemo } from 'react';
import { Chart } from '../charts/chart.tsx';
import { PictureView } from '../charts/picture-view.tsx';
import type { TreatmentIdentity } from '../ui/treatment-mark.tsx';
import styles from './live.module.css';
import {
  type DeviceMetric,
  deviceMetrics,
  devicePoints,
  finishedDevicePoints,
  rangeOf,
  roleNames,
  rolesThatTell,
  useFixedTop,
} from './live-series.ts';

/** Width of the latest value next to a chart: four digits and a separator. */
const valuePx = 46;

type DeviceChartsProps = {
  current: CurrentRun;
  treatment: TreatmentIdentity;
  earlier: readonly RunDetail[];
  /** Names of the devices by role. */
  devices: Readonly<Partial<Record<Role, string>>>;
  warmUpMs: number;
  measureMs: number;
};

/** CPU, memory and network of each device, second by second, on fixed axes. */
export function DeviceCharts(props: DeviceChartsProps): ReactElement {
  const roles = rolesThatTell(props.current.progress);
  return (
    <div
      className={styles.grid}
      style={{ '--devices': roles.length, '--others': roles.length - 1 } as CSSProperties}
    >
      {roles.map((role) => (
        <h3 key={role} className={styles.device}>
          {roleNames[role]} <span className="mono">{props.devices[role]}</span>
        </h3>
      ))}
      {deviceMetrics.map((metric, i) => (
        <MetricRow
          key={metric.id}
          {...props}
          roles={roles}
          metric={metric}
          isLast={i === deviceMetrics.length - 1}
        />
      ))}
    </div>
  );
}

type MetricRowProps = DeviceChartsProps & { metric: DeviceMetric; isLast: boolean; roles: readonly Role[] };

function MetricRow(props: MetricRowProps): ReactElement {
  const { current, treatment, earlier, warmUpMs, measureMs, metric, isLast, roles } = props;
  const joins = Object.values(props.devices).some((names) => names.includes(','));
  const ghosts = useMemo(
    () => roles.map((role) => earlier.map((run) => finishedDevicePoints(run, role, metric))),
    [earlier, metric, roles],
  );
  const bands = useMemo(() => ghosts.map(rangeOf), [ghosts]);
  const lines = roles.map((role) => devicePoints(current, role, metric));
  const highest = Math.max(0, ...[...lines, ...ghosts.flat()].flat().map(({ v }) => v));
  const top = useFixedTop(metric.id, highest);
  // All devices use one unit, because 2,000 kB/s would not fit next to the axis.
  const { multiplier, unit } = displayUnit(top, metric.unit);
  return (
    <>
      <p className={styles.metric}>
        {metric.label}, {unit}
        {joins && `; ${metric.finished.joined} over the devices in a role`}
      </p>
      {roles.map((role, column) => {
        const points = scalePoints(lines[column] ?? [], multiplier);
        const band = (bands[column] ?? []).map(({ t, lo, hi }) => ({
          t,
          lo: lo * multiplier,
          hi: hi * multiplier,
        }));
        const last = points.at(-1);
        return (
          <Chart
            describe={describeSeries}
            key={role}
            label={`${roleNames[role]}: ${metric.label}, ${unit}`}
            unit={unit}
            xRange={[-warmUpMs / 1000, measureMs / 1000]}
            yRange={[0, top * multiplier]}
            series={[{ treatment, points }]}
            ghostBand={band}
            phases={[{ from: -warmUpMs / 1000, to: 0, name: '', isShaded: true }]}
            endLabels={[
              { text: last ? formatNumber(last.v) : NO_VALUE, value: last?.v ?? null, isStrong: true },
            ]}
            showsX={isLast}
            showsY={column === 0}
            ySteps={2}
            rightPx={valuePx}
            heightPx={isLast ? 106 : 84}
          />
        );
      })}
    </>
  );
}

function scalePoints(points: readonly SeriesPoint[], factor: number): SeriesPoint[] {
  return points.map(({ t, v }) => ({ t, v: v * factor }));
}

type DeviceRowsProps = {
  current: CurrentRun;
  treatment: TreatmentIdentity;
  warmUpMs: number;
  measureMs: number;
};

/** For phones: CPU of each device as a sparkline, with its memory. */
export function DeviceRows(props: DeviceRowsProps): ReactElement {
  const { current, treatment, warmUpMs, measureMs } = props;
  const highest = Math.max(1, ...current.progress.flatMap((frame) => frame.cpuPercent ?? []));
  return (
    <table className={styles.devices}>
      <thead>
        <tr>
          <th scope="col">Device</th>
          <th scope="col" colSpan={2}>
            MQTT process CPU
          </th>
          <th scope="col">Memory</th>
        </tr>
      </thead>
      <tbody>
        {rolesThatTell(current.progress).map((role) => {
          const frames = current.progress.filter((frame) => frame.role === role);
          // Returns the last value of each second, for as many seconds as fit.
          const seconds = new Map(frames.map((frame) => [Math.round(frame.atMs / 1000), frame.cpuPercent]));
          const values = [...seconds.values()].flatMap((value) => value ?? []);
          const last = frames.at(-1);
          const cpu = last?.cpuPercent ?? null;
          const memory = last?.residentBytes ?? null;
          return (
            <tr key={role}>
              <th scope="row">{roleNames[role]}</th>
              <td>
                <PictureView
                  isFixed
                  picture={drawSparkline(pagePalette, {
                    label: `CPU of the ${role}, last ${values.length} s`,
                    treatmentIndex: treatment.index,
                    values,
                    range: [0, highest],
                    capacity: Math.round((warmUpMs + measureMs) / 1000),
                    widthPx: 120,
                  })}
                />
              </td>
              <td className={styles.strong}>{cpu === null ? NO_VALUE : `${formatFixed(cpu, 1)} %`}</td>
              <td>{memory === null ? NO_VALUE : formatBytes(memory)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
