import { runValues } from '@mqttlab/shared/analysis/run-values';
import { meanInterval } from '@mqttlab/shared/statistics/interval';
import { quantile } from '@mqttlab/shared/statistics/quantile';
import type { ReactElement } from 'react';
import { BoxChart } from '../charts/box-chart.tsx';
import { type BoxDatum, type BoxPanel, boxChartTable, boxValues } from '../charts/box-chart-data.ts';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { canBeLog, noLogNote } from '../charts/log-axis.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import type { ComparedGroup, ComparisonViewModel } from './comparison-view-model.ts';
import { percentNote, scaleInterval, shownUnit } from './scaling.ts';

export type DistributionPanelProps = { model: ComparisonViewModel; flagged: boolean };

/** Box plots: over messages for latency, over runs for everything else. */
export function DistributionPanel({ model, flagged }: DistributionPanelProps): ReactElement {
  const { metric, groups } = model;
  const isLatency = metric.id.startsWith('latency.');
  const panels = groups.map((group) => ({
    title: group.title,
    note: runsNote(group),
    boxes: group.estimates.flatMap(({ treatment, values, interval }): BoxDatum[] => {
      const identity = model.identity(treatment);
      // All messages are held against the baseline's mean message.
      const factor = model.factorOf(treatment, isLatency ? 'latency.mean' : metric.id);
      if (factor === null) return [];
      if (!isLatency)
        return boxOfRuns(
          identity,
          values.map((entry) => entry.value * factor),
          scaleInterval(interval, factor),
        );
      const mean = meanInterval(
        runValues(treatment, { metric: 'latency.mean', flagged }).map((e) => e.value),
      );
      const latency = flagged ? treatment.latencyWithFlagged : treatment.latency;
      if (!latency || mean.mean === null) return [];
      const { p5, p25, p50, p75, p95 } = latency;
      const box = { p5: p5 * factor, p25: p25 * factor, p50: p50 * factor, p75: p75 * factor };
      const shown = scaleInterval(mean, factor);
      return [{ treatment: identity, ...box, p95: p95 * factor, mean: mean.mean * factor, ...bounds(shown) }];
    }),
  }));
  const title = isLatency ? 'Message latency' : metric.label;
  const what = isLatency ? 'all messages' : 'run values';
  const unit = shownUnit(model.unit, isLatency ? 'ms' : metric.unit);
  const percent = model.unit === 'baseline' ? ` ${percentNote}` : '';
  const noLog = model.scale === 'log' && !canBeLog(boxValues(panels)) ? `; ${noLogNote}` : '';
  return (
    <ChartPanel
      title={`${title} by treatment`}
      subtitle={`${unit}${percent}; ${what}: box P25 to P75, whiskers P5 to P95; marker and figures: mean of runs [95 % CI]${noLog}`}
      table={boxChartTable(panels, unit)}
    >
      {withBoxes(panels).length === 0 ? (
        <EmptyState sentence="No run that is used carries it, so there is nothing to draw." />
      ) : (
        <BoxChart
          label={`${title} by treatment`}
          unit={unit}
          panels={withBoxes(panels)}
          scale={model.scale}
          sharedScale
          heightPx={400}
        />
      )}
    </ChartPanel>
  );
}

function boxOfRuns(
  treatment: BoxDatum['treatment'],
  values: readonly number[],
  interval: { mean: number | null; lo: number | null; hi: number | null },
): BoxDatum[] {
  const at = (p: number) => quantile(values, p) ?? Number.NaN;
  if (interval.mean === null) return [];
  const box = { p5: at(0.05), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) };
  return [{ treatment, ...box, mean: interval.mean, ...bounds(interval) }];
}

/** Absent where there is no interval, as the charts want it. */
export function bounds({ lo, hi }: { lo: number | null; hi: number | null }): { lo?: number; hi?: number } {
  return lo === null || hi === null ? {} : { lo, hi };
}

function runsNote(group: ComparedGroup): string {
  const runs = group.estimates.reduce((sum, estimate) => sum + estimate.values.length, 0);
  return `${runs} runs`;
}

/** A panel with nothing measured is left out of the picture; the table keeps its place. */
function withBoxes(panels: readonly BoxPanel[]): BoxPanel[] {
  return panels.filter((panel) => panel.boxes.length > 0);
}
