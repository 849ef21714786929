import { niceAxis } from '@mqttlab/charts/drawing/axis';
import { timeSeriesTable } from '@mqttlab/charts/kinds/time-series';
import { aboveIdleJ, chargeMah, energySinceStart } from '@mqttlab/shared/analysis/run-energy';
import type { EnergyQuality } from '@mqttlab/shared/domain/devices/capabilities';
import type { Series } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { describeGaps, describeIdle, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo, useState } from 'react';
import { FigurePanel } from '../../../charts/panels/figure-panel.tsx';
import { growTop, resultPoints } from '../../../live/live-series.ts';
import { figureColumn, wordColumn } from '../../../ui/columns.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { QualityTag } from '../../../ui/facts.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { identityOf } from '../../../ui/treatment-mark.tsx';
import { type DeviceEvidence, measuredEndS, readDevices } from './run-devices.tsx';
import { TableBelow } from './run-table.tsx';
import { DeviceStack } from './series-panel.tsx';

const rowPx = 74;

/** Power or energy of every device over time, with its source. Hidden if there is no source. */
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
    <FigurePanel
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
      <DeviceStack
        rows={drawn}
        rowPx={rowPx}
        asideOf={({ energy }) => <QualityTag quality={energy.quality} />}
        chartOf={(one) => {
          const { baselineW } = one.energy;
          const isIdleShown = shape === 'power' && baselineW !== null;
          return {
            label: `${shape === 'power' ? 'Power' : 'Energy since the start of measuring'}, ${one.label}`,
            unit,
            xRange,
            yRange,
            series: [{ treatment, points: pointsOf(one) }],
            ghosts: isIdleShown ? [xRange.map((t) => ({ t, v: baselineW }))] : [],
            phases: [{ from: xRange[0], to: 0, name: '', isShaded: true }],
          };
        }}
      />
      <TableBelow label="Energy of each device" columns={columns} rows={all} rowKey={(row) => row.key} />
    </FigurePanel>
  );
}

const quantity = (unit: string) => ({ format: (value: number) => formatQuantity(value, unit) });

const columns: readonly Column<DeviceEnergy>[] = [
  wordColumn('Device', ({ label, host }) => (
    <>
      {label} <span className="mono">{host}</span>
    </>
  )),
  wordColumn('Source', ({ energy }) => energy.detail || energy.source, { hideOnPhone: true }),
  {
    id: 'measure',
    head: 'While measuring',
    numeric: true,
    cell: ({ energy: { measureJ, gaps } }) => (
      <span title={describeGaps(gaps ?? null).replace(/^, /, '') || undefined}>
        {measureJ === null ? NO_VALUE : formatQuantity(measureJ, 'J')}
        {measureJ !== null && gaps && ` ±${formatQuantity(gaps.errorJ, 'J')}`}
      </span>
    ),
  },
  figureColumn('Above idle', ({ energy, measuredUs }) => aboveIdleJ(energy, measuredUs), quantity('J')),
  figureColumn('Idle', ({ energy }) => energy.baselineW, quantity('W')),
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

/** Returns "Model of a Raspberry Pi 4B: modelled from CPU and network, not measured." */
function sourceWords(all: readonly DeviceEnergy[]): string {
  const words = all.map(({ energy, covers }) => {
    const name = `${energy.detail || energy.source} (${energy.source}): ${qualityWords[energy.quality]}.`;
    return covers ? `${name} ${capitalise(covers)}.` : name;
  });
  return [...new Set(words)].join(' ');
}

/** Describes the idle baseline of each device and gaps in the readings of its meter. */
function idleWords(all: readonly DeviceEnergy[]): string {
  const sentences = all.flatMap(({ label, energy }) =>
    energy.baselineWindow || energy.gaps
      ? [`${label}: ${describeIdle(energy)}${describeGaps(energy.gaps ?? null)}.`]
      : [],
  );
  return ['Grey line: the idle device.', ...new Set(sentences)].join(' ');
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns the range of the values. It does not start at zero, because a load changes a device's power by only
 * a few percent.
 */
function powerRange(watts: readonly number[]): readonly [number, number] {
  if (watts.length === 0) return [0, 1];
  const axis = niceAxis({ min: Math.min(...watts) * 0.97, max: Math.max(...watts) * 1.03, steps: 2 });
  return [Math.max(0, axis.min), axis.max];
}

type DeviceEnergy = ReturnType<typeof energyOf>[number];

/** Descriptions of the energy quality levels. */
const qualityWords: Readonly<Record<EnergyQuality, string>> = {
  measured: 'measured by a dedicated instrument',
  'on-board': 'measured by a sensor on the board, with the accuracy stated by its manufacturer',
  modelled: 'modelled from CPU and network, not measured',
};

/** Returns the devices that have an energy source in this run. */
export function energyOf(run: DeviceEvidence) {
  return readDevices(run, (result) => {
    const { energy, environment, phases } = result;
    if (!energy) return null;
    const watts = result.series.filter(isPower).slice(0, 1);
    const power = resultPoints(result, { series: watts.map(({ metric }) => metric), scale: 1 });
    const covers = environment['energy.covers'];
    return {
      energy,
      /** The part of the device that the source covers, as reported by the source. */
      covers: typeof covers === 'string' ? covers : '',
      /** Duration of the measure phase on this device. Connection workloads may end early. */
      measuredUs: phases.find(({ phase }) => phase === 'measure')?.durationUs ?? null,
      /** Power in W over time; empty if the source reports only totals. */
      power,
      /** Energy in J since measuring began. */
      cumulative: energySinceStart(power),
    };
  });
}

function isPower({ unit, metric }: Series): boolean {
  return unit === 'W' && metric.includes('power');
}
