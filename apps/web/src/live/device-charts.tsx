import { type Role, roles } from '@mqttlab/shared/domain/device';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import type { CurrentRun } from '@mqttlab/shared/protocol/live';
import { Fragment, type ReactElement } from 'react';
import { TimeSeriesChart } from '../charts/time-series-chart.tsx';
import { formatNumber } from '../ui/format/number.ts';
import type { TreatmentIdentity } from '../ui/treatment.ts';
import styles from './device-charts.module.css';
import { type DeviceMetric, deviceMetrics, finishedPoints, livePoints, rangeOf } from './live-series.ts';
import { roleNames } from './role-names.ts';
import { useFixedTop } from './use-fixed-top.ts';

export type DeviceChartsProps = {
  current: CurrentRun;
  treatment: TreatmentIdentity;
  earlier: readonly RunDetail[];
  /** Names of the devices by role. */
  devices: Readonly<Partial<Record<Role, string>>>;
  warmUpMs: number;
  measureMs: number;
};

/** CPU, memory and network of each device, second by second, on axes that stay. */
export function DeviceCharts(props: DeviceChartsProps): ReactElement {
  return (
    <div className={styles.grid}>
      {roles.map((role) => (
        <h3 key={role} className={styles.device}>
          {roleNames[role]} <span className="mono">{props.devices[role]}</span>
        </h3>
      ))}
      {deviceMetrics.map((metric, i) => (
        <Fragment key={metric.id}>
          <p className={styles.metric}>
            {metric.label}, {metric.unit}
          </p>
          <MetricRow {...props} metric={metric} isLast={i === deviceMetrics.length - 1} />
        </Fragment>
      ))}
    </div>
  );
}

type MetricRowProps = DeviceChartsProps & { metric: DeviceMetric; isLast: boolean };

function MetricRow(props: MetricRowProps): ReactElement {
  const { current, treatment, earlier, warmUpMs, measureMs, metric, isLast } = props;
  const lines = roles.map((role) => ({
    role,
    points: livePoints(current, role, metric.fromFrame),
    ghosts: earlier.map((run) => finishedPoints(run, role, metric)),
  }));
  const highest = Math.max(
    0,
    ...lines.flatMap(({ points, ghosts }) => [...points, ...ghosts.flat()]).map(({ v }) => v),
  );
  const top = useFixedTop(metric.id, highest);
  return (
    <>
      {lines.map(({ role, points, ghosts }, column) => {
        const last = points.at(-1);
        return (
          <TimeSeriesChart
            key={role}
            label={`${roleNames[role]}: ${metric.label}, ${metric.unit}`}
            unit={metric.unit}
            xRange={[-warmUpMs / 1000, measureMs / 1000]}
            yRange={[0, top]}
            series={[{ treatment, points }]}
            ghostBand={rangeOf(ghosts)}
            phases={[{ from: -warmUpMs / 1000, to: 0, name: '', isShaded: true }]}
            endLabels={last ? [{ text: formatNumber(last.v), value: last.v, isStrong: true }] : []}
            showsX={isLast}
            showsY={column === 0}
            ySteps={2}
            rightPx={12}
            heightPx={isLast ? 106 : 84}
          />
        );
      })}
    </>
  );
}
