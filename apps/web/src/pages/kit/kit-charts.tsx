import { type ReactElement, useState } from 'react';
import { BarIntervalChart } from '../../charts/bar-interval-chart.tsx';
import { BoxChart } from '../../charts/box-chart.tsx';
import { barIntervalTable } from '../../charts/datasets/bar-interval-data.ts';
import { boxChartTable } from '../../charts/datasets/box-chart-data.ts';
import { effectTable } from '../../charts/datasets/effect-data.ts';
import { type HistogramScale, histogramTable } from '../../charts/datasets/histogram-data.ts';
import { percentileTable } from '../../charts/datasets/percentile-data.ts';
import { type PhaseQuantity, waterfallTable } from '../../charts/datasets/waterfall-data.ts';
import { EffectChart } from '../../charts/effect-chart.tsx';
import { HistogramChart } from '../../charts/histogram-chart.tsx';
import { ChartPanel } from '../../charts/panels/chart-panel.tsx';
import { PercentileCurve } from '../../charts/percentile-curve.tsx';
import { PhaseWaterfall } from '../../charts/phase-waterfall.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import styles from './kit.module.css';
import { KitLive } from './kit-live.tsx';
import { barGroups, bins, boxPanels, differenceGroups, effectGroups, phases } from './sample-data.ts';
import { treatments } from './samples.ts';

const quantiles = [
  { name: 'P50', value: 16.4 },
  { name: 'P95', value: 29.0 },
  { name: 'P99', value: 38.0 },
];
const percentileSeries = treatments.map((treatment, i) => ({
  treatment,
  points: [0, 25, 50, 75, 90, 95, 99, 99.9].map((percentile, k) => ({
    percentile,
    value: (2 + i) * (1 + k * k * 0.09),
  })),
}));

export function KitCharts(): ReactElement {
  const [quantity, setQuantity] = useState<PhaseQuantity>('time');
  const [scale, setScale] = useState<HistogramScale>('linear');
  return (
    <>
      <KitLive />
      <div className={styles.chartsWide}>
        <ChartPanel
          title="Message latency by cipher and link"
          subtitle="ms; box P25 to P75, whiskers P5 to P95, marker and figures: mean [95 % CI]"
          table={boxChartTable(boxPanels, 'ms')}
        >
          <BoxChart label="Message latency by cipher and link" unit="ms" panels={boxPanels} heightPx={316} />
        </ChartPanel>
        <ChartPanel
          title="Publisher energy above idle"
          subtitle="J per 1,000 messages"
          table={barIntervalTable(barGroups, 'J')}
        >
          <BarIntervalChart label="Publisher energy above idle" unit="J" groups={barGroups} />
        </ChartPanel>
      </div>
      <div className={styles.columns}>
        <ChartPanel
          title="Mean latency against Plain"
          subtitle="same link, Hedges g, p after Holm over 10"
          table={effectTable({ kind: 'ratio', groups: effectGroups })}
        >
          <EffectChart label="Mean latency against Plain" kind="ratio" groups={effectGroups} />
        </ChartPanel>
        <ChartPanel
          title="Connect time against Plain"
          subtitle="difference in ms"
          table={effectTable({ kind: 'difference', unit: 'ms', groups: differenceGroups })}
        >
          <EffectChart
            label="Connect time against Plain"
            kind="difference"
            unit="ms"
            groups={differenceGroups}
          />
        </ChartPanel>
        <ChartPanel
          title="Phases"
          subtitle="subscriber"
          table={waterfallTable(phases)}
          footnote="Set-up 71.3 ms, 0.1 % of the run’s energy, 2.43 kB on the wire"
          actions={
            <SegmentedSwitch
              label="Quantity"
              size="sm"
              value={quantity}
              onChange={setQuantity}
              options={[
                { value: 'time', label: 'Time' },
                { value: 'cpu', label: 'CPU' },
                { value: 'bytes', label: 'Bytes' },
                { value: 'energy', label: 'Energy' },
              ]}
            />
          }
        >
          <PhaseWaterfall label="Phases of run 27" treatmentIndex={3} phases={phases} quantity={quantity} />
        </ChartPanel>
        <ChartPanel
          title="Latency distribution"
          subtitle="3,000 messages"
          table={histogramTable({ bins, quantiles, unit: 'ms' })}
          footnote="P99.9 is left out: it needs 10,000 messages."
          actions={
            <SegmentedSwitch
              label="Axis"
              size="sm"
              value={scale}
              onChange={setScale}
              options={[
                { value: 'linear', label: 'Linear' },
                { value: 'log', label: 'Log' },
              ]}
            />
          }
        >
          <HistogramChart
            label="Latency distribution of run 27"
            unit="ms"
            treatmentIndex={3}
            bins={bins}
            quantiles={quantiles}
            maximum={64.6}
            reference={{
              name: 'mean of 6 runs',
              bins: bins.map((bin) => ({ ...bin, count: bin.count * 1.05 })),
            }}
            scale={scale}
          />
        </ChartPanel>
        <ChartPanel
          title="Latency by percentile"
          subtitle="ms; each nine takes the same room"
          table={percentileTable(percentileSeries, 'ms')}
        >
          <PercentileCurve label="Latency by percentile" unit="ms" series={percentileSeries} />
        </ChartPanel>
      </div>
    </>
  );
}
