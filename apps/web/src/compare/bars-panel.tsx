import type { ReactElement } from 'react';
import { BarIntervalChart } from '../charts/bar-interval-chart.tsx';
import { type BarGroup, barIntervalTable } from '../charts/bar-interval-data.ts';
import { ChartPanel } from '../charts/chart-panel.tsx';
import type { ComparisonViewModel } from './comparison-view-model.ts';
import { bounds } from './distribution-panel.tsx';

/** Means over runs with their 95 % t intervals. */
export function BarsPanel({ model }: { model: ComparisonViewModel }): ReactElement {
  const { metric } = model;
  const groups: BarGroup[] = model.groups.map((group) => ({
    title: group.title,
    bars: group.estimates.flatMap(({ treatment, interval }) =>
      interval.mean === null
        ? []
        : [{ treatment: model.identity(treatment), value: interval.mean, ...bounds(interval) }],
    ),
  }));
  return (
    <ChartPanel
      title={metric.label}
      subtitle={`${metric.unit}; mean of runs, 95 % t interval`}
      table={barIntervalTable(groups, metric.unit)}
    >
      <BarIntervalChart label={`${metric.label}, mean of runs`} unit={metric.unit} groups={groups} />
    </ChartPanel>
  );
}
