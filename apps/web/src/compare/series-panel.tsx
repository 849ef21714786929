import type { ComparedSeries } from '@mqttlab/shared/domain/comparison';
import type { ReactElement } from 'react';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { niceAxis } from '../charts/nice-axis.ts';
import { TimeSeriesChart } from '../charts/time-series-chart.tsx';
import { type TimeSeries, timeSeriesTable } from '../charts/time-series-data.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { PickMenu } from '../ui/pick-menu.tsx';
import styles from './compare.module.css';
import type { CompareState, SeriesRole } from './compare-state.ts';
import type { ComparisonViewModel } from './comparison-view-model.ts';
import { type SeriesChoice, seriesChoices } from './series-choices.ts';

export type SeriesPanelProps = {
  model: ComparisonViewModel;
  series: readonly ComparedSeries[];
  state: Pick<CompareState, 'role' | 'series'>;
  /** Absent where nothing else can be chosen. */
  onChange: ((change: { role: SeriesRole; series: string }) => void) | undefined;
};

/** Means across runs over time with a 95 % band, one small multiple for each group. */
export function SeriesPanel({ model, series, state, onChange }: SeriesPanelProps): ReactElement {
  const choice = seriesChoices.find((entry) => entry.role === state.role && entry.metric === state.series);
  const scale = choice?.scale ?? 1;
  const unit = choice?.unit ?? '';
  const panels = model.groups.map((group) => ({
    title: group.title,
    series: group.estimates.flatMap(({ treatment }) => {
      const found = series.find((entry) => entry.treatmentId === treatment.id);
      return found ? [drawn(found, model.identity(treatment), scale)] : [];
    }),
  }));
  const all = panels.flatMap((panel) => panel.series);
  const [xRange, yRange] = rangesOf(all);
  return (
    <ChartPanel
      title={choice?.label ?? 'Time series'}
      subtitle={`${unit}; mean across runs, band 95 % t interval; 0 s: measuring starts`}
      table={timeSeriesTable({ unit, series: all })}
      actions={
        onChange && (
          <PickMenu
            label="Series"
            value={choice ? keyOf(choice) : ''}
            options={seriesChoices.map((entry) => ({ value: keyOf(entry), label: entry.label }))}
            onChange={(key) => {
              const next = seriesChoices.find((entry) => keyOf(entry) === key);
              if (next) onChange({ role: next.role, series: next.metric });
            }}
          />
        )
      }
    >
      {all.length === 0 ? (
        <EmptyState sentence="No valid run here carries this series; choose another one." />
      ) : (
        <div className={styles.multiples}>
          {panels
            .filter((panel) => panel.series.length > 0)
            .map((panel) => (
              <div key={panel.title}>
                {panels.length > 1 && <h3 className={styles.facet}>{panel.title}</h3>}
                <TimeSeriesChart
                  label={[choice?.label, panel.title].filter(Boolean).join(', ')}
                  unit={unit}
                  xRange={xRange}
                  yRange={yRange}
                  series={panel.series}
                  phases={xRange[0] < 0 ? [{ from: xRange[0], to: 0, name: 'warm-up', isShaded: true }] : []}
                  heightPx={190}
                  rightPx={130}
                  dashed
                />
              </div>
            ))}
        </div>
      )}
    </ChartPanel>
  );
}

function keyOf(choice: SeriesChoice): string {
  return `${choice.role} ${choice.metric}`;
}

function drawn(entry: ComparedSeries, treatment: TimeSeries['treatment'], scale: number): TimeSeries {
  const points = entry.timesMs.flatMap((ms, index) => {
    const mean = entry.mean[index];
    return mean === null || mean === undefined ? [] : [{ t: ms / 1000, v: mean * scale }];
  });
  const band = entry.timesMs.flatMap((ms, index) => {
    const lo = entry.lo[index];
    const hi = entry.hi[index];
    if (lo === null || hi === null || lo === undefined || hi === undefined) return [];
    return [{ t: ms / 1000, lo: Math.max(0, lo * scale), hi: hi * scale }];
  });
  return { treatment, points, ...(band.length > 0 ? { band } : {}) };
}

/** x over everything drawn; y from zero to above the lines, not above every noisy band. */
function rangesOf(all: readonly TimeSeries[]): [[number, number], [number, number]] {
  const times = all.flatMap((one) => one.points.map((point) => point.t));
  const values = all.flatMap((one) => one.points.map((point) => point.v));
  if (times.length === 0)
    return [
      [0, 1],
      [0, 1],
    ];
  const top = niceAxis({ min: 0, max: Math.max(...values) * 1.25, steps: 4 }).max;
  return [
    [Math.min(0, ...times), Math.max(...times)],
    [0, top > 0 ? top : 1],
  ];
}
