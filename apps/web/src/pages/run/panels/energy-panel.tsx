import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { niceAxis } from '@mqttlab/shared/figures/drawing/axis';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { describeGaps, describeIdle, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo, useState } from 'react';
import { timeSeriesTable } from '../../../charts/datasets/time-series-data.ts';
import { ChartPanel } from '../../../charts/panels/chart-panel.tsx';
import { TimeSeriesChart } from '../../../charts/time-series-chart.tsx';
import { growTop } from '../../../live/fixed-scale.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { identityOf } from '../../experiment/treatment-identity.ts';
import { aboveIdleJ, chargeMah, type DeviceEnergy, energyOf, qualityWords } from '../models/energy-model.ts';
import { measuredEndS } from '../models/measured-end.ts';
import { QualityTag } from '../quality-tag.tsx';
import styles from '../run-extras.module.css';
import series from './series-panel.module.css';

const rowPx = 74;
const axisPx = 22;

/** Power or energy of every device over time, with where the figures come from. Nothing without a source. */
export function EnergyPanel({ run }: { run: RunDetail }): ReactElement | null {
  const all = useMemo(() => energyOf(run), [run]);
  const [shape, setShape] = useState<'power' | 'energy'>('power');
  const first = all[0];
  if (!first) return null;
  const unit = shape === 'power' ? 'W' : 'J';
  const { warmUpMs } = run.treatment.spec;
  const drawn = all
    .filter((one) => one.power.length > 0)
    .map((one) => ({ ...one, power: one.power.filter(({ t }) => t >= -warmUpMs / 1000) }));
  const treatment = identityOf(run.treatment);
  const pointsOf = (one: DeviceEnergy) => (shape === 'power' ? one.power : one.cumulative);
  const times = drawn.flatMap((one) => one.power.map(({ t }) => t));
  const xRange = [
    shape === 'power' ? Math.min(-warmUpMs / 1000, ...times) : 0,
    Math.max(measuredEndS(run), ...times),
  ] as const;
  const highest = Math.max(0, ...drawn.flatMap((one) => one.cumulative.map(({ v }) => v)));
  const idle = drawn.flatMap((one) => (one.energy.baselineW === null ? [] : [one.energy.baselineW]));
  const yRange =
    shape === 'power'
      ? powerRange([...drawn.flatMap((one) => one.power.map(({ v }) => v)), ...idle])
      : ([0, growTop(null, highest)] as const);
  return (
    <ChartPanel
      title="Energy"
      subtitle={drawn.length > 0 ? unit : ''}
      table={timeSeriesTable({
        unit,
        series: drawn.map((one) => ({ treatment, name: one.label, points: pointsOf(one) })),
      })}
      actions={
        drawn.length > 0 && (
          <SegmentedSwitch
            label="Quantity over time"
            size="sm"
            value={shape}
            onChange={setShape}
            options={[
              { value: 'power', label: 'Power' },
              { value: 'energy', label: 'Energy' },
            ]}
          />
        )
      }
      footnote={`${sourceWords(all)} ${idleWords(all)}`}
    >
      {drawn.map((one, i) => {
        const isLast = i === drawn.length - 1;
        const { baselineW } = one.energy;
        return (
          <div key={one.key}>
            <div className={series.head}>
              <span>
                {one.label} <span className="mono">{one.host}</span>
              </span>
              <QualityTag quality={one.energy.quality} />
            </div>
            <TimeSeriesChart
              label={`${shape === 'power' ? 'Power' : 'Energy since the start of measuring'}, ${one.label}`}
              unit={unit}
              xRange={xRange}
              yRange={yRange}
              ySteps={2}
              series={[{ treatment, points: pointsOf(one) }]}
              {...(shape === 'power' && baselineW !== null
                ? { ghosts: [xRange.map((t) => ({ t, v: baselineW }))] }
                : {})}
              phases={[{ from: xRange[0], to: 0, name: '', isShaded: true }]}
              showsX={isLast}
              heightPx={rowPx + (isLast ? axisPx : 0)}
            />
          </div>
        );
      })}
      <div className={styles.table}>
        <DataTable
          label="Energy of each device"
          density="dense"
          columns={columns}
          rows={all}
          rowKey={(row) => row.key}
        />
      </div>
    </ChartPanel>
  );
}

const figure = (value: number | null, unit: string) =>
  value === null ? NO_VALUE : formatQuantity(value, unit);

const columns: readonly Column<DeviceEnergy>[] = [
  {
    id: 'device',
    head: 'Device',
    cell: ({ label, host }) => (
      <>
        {label} <span className="mono">{host}</span>
      </>
    ),
  },
  { id: 'source', head: 'Source', cell: ({ energy }) => energy.detail || energy.source, hideOnPhone: true },
  {
    id: 'measure',
    head: 'While measuring',
    numeric: true,
    cell: ({ energy }) => (
      <span title={describeGaps(energy.gaps ?? null).replace(/^, /, '') || undefined}>
        {energy.measureJ !== null && energy.gaps
          ? `${figure(energy.measureJ, 'J')} ±${formatQuantity(energy.gaps.errorJ, 'J')}`
          : figure(energy.measureJ, 'J')}
      </span>
    ),
  },
  {
    id: 'above',
    head: 'Above idle',
    numeric: true,
    cell: ({ energy, measuredUs }) => figure(aboveIdleJ(energy, measuredUs), 'J'),
  },
  { id: 'idle', head: 'Idle', numeric: true, cell: ({ energy }) => figure(energy.baselineW, 'W') },
  {
    id: 'charge',
    head: 'Charge',
    numeric: true,
    hideOnPhone: true,
    cell: ({ energy }) => {
      const mah = chargeMah(energy);
      return mah === null
        ? NO_VALUE
        : `${formatNumber(mah)} mAh at ${formatNumber(energy.voltageV ?? 0, 2)} V`;
    },
  },
];

/** "Model of a Raspberry Pi 4B: modelled from CPU and network, not measured." */
function sourceWords(all: readonly DeviceEnergy[]): string {
  const words = all.map(({ energy, covers }) => {
    const name = `${energy.detail || energy.source} (${energy.source}): ${qualityWords[energy.quality]}.`;
    return covers ? `${name} ${capitalise(covers)}.` : name;
  });
  return [...new Set(words)].join(' ');
}

/** What the grey line is, and of each device when it was idle and where its meter was silent. */
function idleWords(all: readonly DeviceEnergy[]): string {
  const told = all.flatMap(({ label, energy }) =>
    energy.baselineWindow || energy.gaps
      ? [`${label}: ${describeIdle(energy)}${describeGaps(energy.gaps ?? null)}.`]
      : [],
  );
  return ['Grey line: the idle device.', ...new Set(told)].join(' ');
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The range of the figures, not from zero: a load changes the power of a device by a few percent only. */
function powerRange(watts: readonly number[]): readonly [number, number] {
  if (watts.length === 0) return [0, 1];
  const axis = niceAxis({ min: Math.min(...watts) * 0.97, max: Math.max(...watts) * 1.03, steps: 2 });
  return [Math.max(0, axis.min), axis.max];
}
