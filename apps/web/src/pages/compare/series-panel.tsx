import { Button } from '@mantine/core';
import { canBeLog, niceAxis, noLogNote } from '@mqttlab/charts/drawing/axis';
import { textWidth, widest } from '@mqttlab/charts/drawing/text-width';
import { describeBars } from '@mqttlab/charts/kinds/bar';
import { describeSeries, type TimeSeries, timeSeriesTable } from '@mqttlab/charts/kinds/time-series';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { ComparedSeries, ComparedTreatment, WindowMean } from '@mqttlab/shared/domain/runs/comparison';
import { formatNumber } from '@mqttlab/shared/format/number';
import { type ReactElement, useCallback, useMemo, useState } from 'react';
import type { Brush, BrushRange } from '../../charts/canvas/brush.ts';
import { Chart, WideChart } from '../../charts/chart.tsx';
import { FigurePanel } from '../../charts/panels/figure-panel.tsx';
import { PickMenu } from '../../ui/input/pick.tsx';
import styles from './compare.module.css';
import { type ComparisonViewModel, shownUnit } from './comparison-view-model.ts';
import { bounds } from './distribution-panel.tsx';
import { describeNotDrawn, flaggedReason } from './not-drawn.ts';
import { RangeFields } from './range-fields.tsx';

/** A series with fewer points is not drawn. */
const minPoints = 5;
/** Maximum number of names that fit next to the lines. */
const maxNames = 8;
/** Space between the end of a line and the edge, next to its name. */
const END_PX = 20;

type TimeWindow = {
  range: BrushRange | null;
  within: readonly WindowMean[] | undefined;
  onDone(range: BrushRange | null): void;
};

type SeriesPanelProps = {
  model: ComparisonViewModel;
  series: readonly ComparedSeries[];
  /** Role and name of the series. */
  drawn: { role: string; metric: string };
  /** The selected time range; absent if its means cannot be requested. */
  window?: TimeWindow | undefined;
  /** Absent if there is no choice. */
  onChange: ((change: { role: Role; series: string }) => void) | undefined;
};

/** Means across runs over time with a 95 % band, in one small multiple per group. */
export function SeriesPanel({
  model,
  series,
  drawn: asked,
  window,
  onChange,
}: SeriesPanelProps): ReactElement {
  const [moving, setMoving] = useState<BrushRange | null>(null);
  const [asksRange, setAsksRange] = useState(false);
  const range = moving ?? window?.range ?? null;
  const brush: Brush | undefined = window && {
    range,
    onMove: setMoving,
    onDone: (next) => {
      setMoving(null);
      window.onDone(next);
    },
  };
  const choice = seriesChoices.find((entry) => entry.role === asked.role && entry.metric === asked.metric);
  const scale = choice?.scale ?? 1;
  const unit = shownUnit(model.unit, choice?.unit ?? '');
  const entryOf = useCallback(
    (treatment: ComparedTreatment | undefined) => series.find((entry) => entry.treatmentId === treatment?.id),
    [series],
  );
  const factor = useCallback(
    (treatment: ComparedTreatment) =>
      model.unit === 'absolute' ? scale : percentOf(entryOf(model.baselineOf(treatment))),
    [model, scale, entryOf],
  );
  // The lines are memoised, because a moving brush redraws the same lines.
  const { panels, all, isLog, xRange, yRange, phases, table } = useMemo(() => {
    const made = model.groups.map((group) => ({
      title: group.title,
      series: group.estimates.flatMap(({ treatment }) => {
        const found = entryOf(treatment);
        const by = factor(treatment);
        return found && by !== null ? [drawn(found, model.identity(treatment), by)] : [];
      }),
    }));
    const lines = made.flatMap((panel) => panel.series);
    const canLog = model.scale === 'log' && canBeLog(valuesOf(lines));
    const [x, y] = rangesOf(lines, canLog, model.unit === 'absolute' ? choice?.top : undefined);
    return {
      panels: made,
      all: lines,
      isLog: canLog,
      xRange: x,
      yRange: y,
      phases: x[0] < 0 ? [{ from: x[0], to: 0, name: 'warm-up', isShaded: true }] : [],
      table: timeSeriesTable({ unit, series: lines }),
    };
  }, [model, unit, entryOf, factor, choice]);
  const drawnIds = new Set(all.map(({ treatment }) => treatment.id));
  const reasons = model.groups.flatMap(({ estimates }) =>
    estimates.map(({ treatment }) => {
      if (drawnIds.has(treatment.id)) return null;
      if (treatment.runs.length === 0) return 'without a finished run';
      const isFlagged = !model.flagged && treatment.runs.every((run) => run.flagged);
      return isFlagged ? flaggedReason(treatment) : 'without this series';
    }),
  );
  const isShort = !all.some(({ points }) => points.length >= minPoints);
  const namesPx = useMemo(
    () => widest(all.map(({ treatment }) => textWidth(treatment.shortLabel))) + END_PX,
    [all],
  );
  const percent = model.unit === 'baseline' ? ' of its baseline’s mean in the measure phase' : '';
  const noLog = model.scale === 'log' && !isLog ? `; ${noLogNote}` : '';
  return (
    <FigurePanel
      title={choice?.label ?? 'Time series'}
      footnote={isShort ? '' : describeNotDrawn(reasons)}
      subtitle={`${unit}${percent}; mean across runs, band 95 % t interval; measuring starts at 0 s${noLog}`}
      table={table}
      actions={
        <>
          {window && !isShort && !(range || asksRange) && (
            <Button size="compact-sm" variant="subtle" onClick={() => setAsksRange(true)}>
              Select a range
            </Button>
          )}
          {onChange && (
            <PickMenu
              label="Series"
              value={choice ? keyOf(choice) : ''}
              options={seriesChoices.map((entry) => ({ value: keyOf(entry), label: entry.label }))}
              onChange={(key) => {
                const next = seriesChoices.find((entry) => keyOf(entry) === key);
                if (next) onChange({ role: next.role, series: next.metric });
              }}
            />
          )}
        </>
      }
    >
      {isShort ? (
        <p className={styles.none}>
          {all.length === 0
            ? 'No valid run has this series. Choose another one.'
            : `The runs have fewer than ${minPoints} points in this series, too few for a chart over time. Choose another one.`}
        </p>
      ) : (
        <div className={styles.multiples}>
          {panels
            .filter((panel) => panel.series.length > 0)
            .map((panel) => (
              <div key={panel.title}>
                {panels.length > 1 && <h3 className={styles.facet}>{panel.title}</h3>}
                <Chart
                  describe={describeSeries}
                  label={[choice?.label, panel.title].filter(Boolean).join(', ')}
                  unit={unit}
                  xRange={xRange}
                  yRange={yRange}
                  isLog={isLog}
                  series={panel.series}
                  phases={phases}
                  heightPx={190}
                  rightPx={panel.series.length > maxNames ? END_PX : namesPx}
                  {...(panel.series.length > maxNames ? { endLabels: [] } : {})}
                  dashed
                  brush={brush}
                />
              </div>
            ))}
        </div>
      )}
      {window && !isShort && (range || asksRange) && (
        <div className={styles.within}>
          <RangeFields
            name="Time"
            unit="s"
            range={range}
            onDone={(next) => {
              if (!next) setAsksRange(false);
              window.onDone(next);
            }}
          />
          {window.range && window.within && (
            <WithinRange model={model} within={window.within} range={window.range} show={{ unit, factor }} />
          )}
        </div>
      )}
    </FigurePanel>
  );
}

type WithinProps = {
  model: ComparisonViewModel;
  within: readonly WindowMean[];
  range: BrushRange;
  show: { unit: string; factor(treatment: ComparedTreatment): number | null };
};

/** Means within the selected range, one value per run. */
function WithinRange({ model, within, range, show }: WithinProps): ReactElement {
  const groups = model.groups.map((group) => ({
    title: group.title,
    bars: group.estimates.flatMap(({ treatment }) => {
      const found = within.find((one) => one.treatmentId === treatment.id);
      const by = show.factor(treatment);
      if (!found || by === null) return [];
      const { mean, lo, hi } = found;
      const scaled = { lo: lo === null ? null : lo * by, hi: hi === null ? null : hi * by };
      return [{ treatment: model.identity(treatment), value: mean * by, ...bounds(scaled) }];
    }),
  }));
  const [from, to] = range.map((value) => formatNumber(value));
  const title = `Mean from ${from} to ${to} s`;
  return groups.some(({ bars }) => bars.length > 0) ? (
    <>
      <div className={styles.metricHead}>
        <h3 className={styles.facet}>{title}</h3>
        <span className={styles.metricUnit}>{show.unit}; mean of runs, 95 % t interval</span>
      </div>
      <WideChart
        describe={describeBars}
        label={title}
        unit={show.unit}
        groups={groups}
        scale={model.scale === 'log' ? 'log' : 'linear'}
      />
    </>
  ) : (
    <p className={styles.method}>
      No run has a sample between {from} and {to} s.
    </p>
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

const unmeasured: BrushRange = [0, 1];

/**
 * Returns the axis ranges. x covers all points. y extends from zero to above the lines, but not above noisy
 * bands.
 */
function rangesOf(all: readonly TimeSeries[], isLog: boolean, end?: number): [BrushRange, BrushRange] {
  const times = all.flatMap((one) => one.points.map((point) => point.t));
  const values = valuesOf(all);
  if (times.length === 0) return [unmeasured, unmeasured];
  const x: [number, number] = [Math.min(0, ...times), Math.max(...times)];
  if (isLog) return [x, [Math.min(...values), Math.max(...values)]];
  const top = end ?? niceAxis({ min: 0, max: Math.max(...values) * 1.25, steps: 4 }).max;
  return [x, [0, top > 0 ? top : 1]];
}

function valuesOf(all: readonly TimeSeries[]): number[] {
  return all.flatMap((one) => one.points.map((point) => point.v));
}

/**
 * Returns the factor that converts values to percent of the series' mean in the measure phase; null if the
 * mean is zero or unknown.
 */
function percentOf(baseline: ComparedSeries | undefined): number | null {
  const values = (baseline?.mean ?? []).filter(
    (value, index): value is number => value !== null && (baseline?.timesMs[index] ?? -1) >= 0,
  );
  const sum = values.reduce((total, value) => total + value, 0);
  return sum > 0 ? (100 * values.length) / sum : null;
}

type SeriesChoice = {
  role: Role;
  /** Name of the stored series. */
  metric: string;
  label: string;
  /** Displayed unit; stored values are multiplied by `scale`. */
  unit: string;
  scale: number;
  /** Fixed end of the axis in the displayed unit; by default above the lines. */
  top?: number;
};

const processSeries = (role: Role): SeriesChoice[] => [
  { role, metric: 'cpu.process', label: `CPU of the ${role} process`, unit: '% of a core', scale: 1 },
  { role, metric: 'energy.power', label: `Power of the ${role}’s device`, unit: 'W', scale: 1 },
  { role, metric: 'memory.resident', label: `Memory of the ${role} process`, unit: 'MB', scale: 1e-6 },
];

/** Series that every run stores, by role. */
const seriesChoices: readonly SeriesChoice[] = [
  { role: 'subscriber', metric: 'latency.p50', label: 'Median latency, each second', unit: 'ms', scale: 1 },
  { role: 'subscriber', metric: 'latency.p95', label: 'P95 of latency, each second', unit: 'ms', scale: 1 },
  {
    role: 'subscriber',
    metric: 'probe.reached',
    label: 'Attempts that reached the broker',
    unit: '%',
    scale: 100,
    // A line at 100 % stays visible.
    top: 104,
  },
  ...roles.flatMap(processSeries),
];
