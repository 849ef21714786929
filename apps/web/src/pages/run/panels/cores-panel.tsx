import { describeHeat, type HeatRow, heatTable } from '@mqttlab/charts/kinds/heat';
import { describeSeries, type SeriesPoint, type TimeSeries } from '@mqttlab/charts/kinds/time-series';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { type ReactElement, useMemo } from 'react';
import { Chart } from '../../../charts/chart.tsx';
import { FigurePanel } from '../../../charts/panels/figure-panel.tsx';
import { growTop, resultPoints } from '../../../live/live-series.ts';
import { identityOf } from '../../../ui/treatment-mark.tsx';
import styles from './panels.module.css';
import { type DeviceEvidence, measuredEndS, readDevices, useDevice } from './run-devices.tsx';

const axisPx = 48;
/** Space for the names at the ends of the lines. */
const namesPx = 60;

/** CPU use of the device and of the MQTT process in cores, and use of each core. */
export function CoresPanel({ run }: { run: RunDetail }): ReactElement | null {
  const all = useMemo(() => coresOf(run), [run]);
  const { shown, deviceSwitch } = useDevice(all, 'broker');
  const series = useMemo((): TimeSeries[] => {
    if (!shown) return [];
    const treatment = identityOf(run.treatment);
    return shown.process.length === 0 ? [] : [{ treatment, points: shown.process, isLead: true }];
  }, [shown, run]);
  if (!shown) return null;
  const { warmUpMs } = run.treatment.spec;
  const lastOf = (points: readonly SeriesPoint[]) => points.at(-1)?.t ?? 0;
  const to = Math.max(measuredEndS(run), ...shown.cores.map(({ points }) => lastOf(points)));
  const xRange = [-warmUpMs / 1000, to] as const;
  const highest = Math.max(0, ...[...shown.process, ...shown.device].map(({ v }) => v));
  const [lastProcess, lastDevice] = [shown.process.at(-1), shown.device.at(-1)];
  return (
    <FigurePanel
      title="Cores"
      subtitle={`${shown.cores.length} of the ${shown.label.toLowerCase()}’s device`}
      table={heatTable(shown.cores, { head: 'Core', unit: '%' })}
      actions={deviceSwitch}
      footnote="Top: busy cores, whole device and MQTT process. Bottom: use of each core in %."
    >
      <div className={styles.stack}>
        <Chart
          describe={describeSeries}
          label={`Busy cores, ${shown.label}`}
          unit="cores"
          xRange={xRange}
          yRange={[0, growTop(null, highest)]}
          ySteps={2}
          series={series}
          phases={[{ from: xRange[0], to: 0, name: '', isShaded: true }]}
          showsX={false}
          heightPx={120}
          rightPx={namesPx}
          ghosts={[shown.device]}
          endLabels={[
            ...(lastProcess ? [{ text: 'process', value: lastProcess.v, isStrong: true }] : []),
            ...(lastDevice ? [{ text: 'device', value: lastDevice.v }] : []),
          ]}
          leftPx={axisPx}
        />
        <Chart
          describe={describeHeat}
          label={`Each core over time, ${shown.label}`}
          unit="%"
          treatmentIndex={run.treatment.mark}
          rows={shown.cores}
          top={100}
          xRange={xRange}
          leftPx={axisPx}
          rightPx={namesPx}
        />
      </div>
    </FigurePanel>
  );
}

const coreName = /^cpu\.core(\d+)$/;

/** Returns the devices with samples of every core. */
export function coresOf(run: DeviceEvidence) {
  return readDevices(run, (result) => {
    const read = (metric: string, scale: number) => resultPoints(result, { series: [metric], scale });
    const cores = result.series
      .flatMap(({ metric }): (HeatRow & { number: number })[] => {
        const number = Number(coreName.exec(metric)?.[1] ?? Number.NaN);
        return Number.isNaN(number) ? [] : [{ number, name: `core ${number}`, points: read(metric, 1) }];
      })
      .sort((a, b) => a.number - b.number);
    if (cores.length === 0) return null;
    return {
      /** Use of each core, in % of one core. */
      cores: cores.map(({ name, points }): HeatRow => ({ name, points })),
      /** Busy cores of the whole device and of the MQTT process. */
      device: read('cpu.device', cores.length / 100),
      process: read('cpu.process', 1 / 100),
    };
  });
}
