import type { RunDetail } from '@mqttlab/shared/domain/run';
import { formatCount } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo, useState } from 'react';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { HistogramChart } from '../charts/histogram-chart.tsx';
import { histogramTable } from '../charts/histogram-data.ts';
import { PercentileCurve } from '../charts/percentile-curve.tsx';
import { identityOf } from '../live/treatment-identity.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Panel } from '../ui/panel.tsx';
import { SegmentedSwitch } from '../ui/segmented-switch.tsx';
import styles from './chart-bar.module.css';
import { type LatencyView, makeLatencyView } from './latency-view.ts';

const title = 'Latency distribution';

/** How long single messages took, with the quantiles that there are messages enough for. */
export function LatencyPanel({ run, heightPx }: { run: RunDetail; heightPx: number }): ReactElement {
  const view = useMemo(() => makeLatencyView(run), [run]);
  const [shape, setShape] = useState<'histogram' | 'percentiles'>('histogram');
  if (!view) {
    return (
      <Panel title={title}>
        <EmptyState sentence="No message arrived with a readable stamp, so no latency was measured." />
      </Panel>
    );
  }
  return (
    <ChartPanel
      title={title}
      subtitle={view.isLongTailed ? 'ms, log' : 'ms'}
      table={histogramTable({ bins: view.bins, quantiles: view.quantiles, unit: 'ms' })}
      footnote={view.leftOut || 'Counted from the intended send time.'}
    >
      <div className={styles.bar}>
        <SegmentedSwitch
          label="Shape"
          size="sm"
          value={shape}
          onChange={setShape}
          options={[
            { value: 'histogram', label: 'Histogram' },
            { value: 'percentiles', label: 'Percentiles' },
          ]}
        />
        <span className={styles.note}>{formatCount(view.count)} messages</span>
      </div>
      {shape === 'histogram' ? (
        <HistogramChart
          label={describe(run, view)}
          unit="ms"
          treatmentIndex={run.treatment.mark}
          bins={view.bins}
          quantiles={view.quantiles.filter((quantile) => quantile.name !== 'P99.9')}
          scale={view.isLongTailed ? 'log' : 'linear'}
          maximum={view.maximumMs}
          heightPx={heightPx}
        />
      ) : (
        <PercentileCurve
          label={describe(run, view)}
          unit="ms"
          series={[{ treatment: identityOf(run.treatment), points: view.curve }]}
          heightPx={heightPx}
        />
      )}
    </ChartPanel>
  );
}

function describe(run: RunDetail, view: LatencyView): string {
  const quantiles = view.quantiles.map(({ name, value }) => `${name} ${value.toPrecision(3)} ms`);
  return `Latency of run ${run.id}: ${[`${view.count} messages`, ...quantiles].join(', ')}`;
}
