import { Button } from '@mantine/core';
import { describeStrips, namesWidth, type StripRow, stripTable } from '@mqttlab/charts/kinds/strip';
import { nounOf } from '@mqttlab/shared/analysis/phrase';
import { runValues } from '@mqttlab/shared/analysis/run-values';
import { findMetric, metrics } from '@mqttlab/shared/catalogue/metrics';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import { formatNumber } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo, useState } from 'react';
import type { Brush } from '../../charts/canvas/brush.ts';
import { Chart } from '../../charts/chart.tsx';
import { FigurePanel } from '../../charts/panels/figure-panel.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import styles from './compare.module.css';
import type { RunBrush } from './compare-state.ts';
import { type ComparisonViewModel, shownUnit } from './comparison-view-model.ts';
import { describeNotDrawn } from './not-drawn.ts';
import { RangeFields } from './range-fields.tsx';

type RunsPanelProps = {
  model: ComparisonViewModel;
  brush: RunBrush | null;
  onBrush(brush: RunBrush | null): void;
  /** Called to compare only these runs; absent if the runs are fixed. */
  onKeep?: ((runs: number[]) => void) | undefined;
};

/** Every run as a dot, one chart per metric. Runs selected in one chart are highlighted in all. */
export function RunsPanel({ model, brush, onBrush, onKeep }: RunsPanelProps): ReactElement {
  const isPhone = useIsPhone();
  // These charts update while dragging; the address and the other charts update at the end.
  const [moving, setMoving] = useState<RunBrush | null>(null);
  const now = moving ?? brush;
  const [asksRange, setAsksRange] = useState(false);
  const strips = useMemo(
    () =>
      stripMetrics(model).map((metric) => ({
        metric,
        unit: shownUnit(model.unit, metric.unit),
        rows: withHeadings(model, runRows(model, metric.id)),
      })),
    [model],
  );
  const chosen = useMemo(() => brushedRuns(model, now), [model, now]);
  const brushFor = (metric: string): Brush => ({
    range: now?.metric === metric ? now.range : null,
    onMove: (range) => setMoving(range && { metric, range }),
    onDone: (range) => {
      setMoving(null);
      onBrush(range && { metric, range });
    },
  });
  const [first] = strips;
  const fields = strips.find(({ metric }) => metric.id === now?.metric) ?? first;
  return (
    <FigurePanel
      title="Every run"
      subtitle="one dot per run, hollow if flagged; drag across a chart to select runs by value"
      actions={
        !(now || asksRange) && (
          <Button size="compact-sm" variant="subtle" onClick={() => setAsksRange(true)}>
            Select a range
          </Button>
        )
      }
      footnote={strips
        .map(({ metric }) => missingRuns(model, metric))
        .filter(Boolean)
        .join(' ')}
      table={stripTable(fields?.rows ?? [], { name: fields?.metric.label ?? '', unit: fields?.unit ?? '' })}
    >
      <div className={styles.strips}>
        {strips.map(({ metric, unit, rows }, index) => (
          <div
            key={metric.id}
            style={{ flexBasis: isPhone ? '100%' : plotPx + (index === 0 ? namesWidth(rows) : 0) }}
          >
            <div className={styles.metricHead}>
              <h3 className={styles.facet}>{metric.label}</h3>
              <span className={styles.metricUnit}>{unit}</span>
            </div>
            <Chart
              describe={describeStrips}
              label={`${metric.label} of every run`}
              unit={unit}
              rows={rows}
              scale={model.scaleOf(metric)}
              chosen={chosen}
              showsNames={index === 0 || isPhone}
              isNarrow={isPhone}
              brush={brushFor(metric.id)}
            />
          </div>
        ))}
      </div>
      <div className={styles.brushed}>
        {fields && (now || asksRange) && (
          <RangeFields
            name={fields.metric.label}
            unit={fields.unit}
            range={now?.metric === fields.metric.id ? now.range : null}
            onDone={(range) => {
              if (!range) setAsksRange(false);
              onBrush(range && { metric: fields.metric.id, range });
            }}
          />
        )}
        {now && chosen && (
          <p role="status">{describeChosen(model, { brush: now, chosen, unit: fields?.unit ?? '' })}</p>
        )}
        {onKeep && !moving && chosen && chosen.size > 0 && (
          <p className={styles.method}>
            <Button size="compact-sm" variant="default" onClick={() => onKeep([...chosen])}>
              Compare only these runs
            </Button>{' '}
            Runs selected by their result are not a random sample: their intervals are too narrow.
          </p>
        )}
      </div>
    </FigurePanel>
  );
}

/** Minimum width. The remaining space is divided, so that all plots have the same width. */
const plotPx = 240;

type Chosen = { brush: RunBrush; chosen: ReadonlySet<number>; unit: string };

/** Returns a sentence such as "7 of 45 runs are between 2 and 5 ms (Plain: 4; AES-256-GCM: 3)." */
function describeChosen(model: ComparisonViewModel, { brush, chosen, unit }: Chosen): string {
  const counts = model.shown.flatMap((entry) => {
    const count = entry.runs.filter(({ runId }) => chosen.has(runId)).length;
    return count > 0 ? [`${model.nameOf(entry)}: ${count}`] : [];
  });
  const [from, to] = brush.range.map((value) => formatNumber(value));
  const all = countedPoints(model, brush.metric).length;
  return `${chosen.size} of ${all} runs are between ${from} and ${to} ${unit}${counts.length > 0 ? ` (${counts.join('; ')})` : ''}.`;
}

/** Metrics shown by default next to the response: the first two of these that were measured. */
const companions = ['latency.p50', 'cpu.broker', 'cpu.publisher', 'setUp.total'];
const beside = 2;

/**
 * Returns each run as a point, with one row per treatment. Flagged runs are included, so that a flag never
 * hides a run.
 */
export function runRows(model: ComparisonViewModel, metricId: string): StripRow[] {
  const metric = findMetric(metricId);
  return model.shown.map((entry) => {
    const factor = metric ? model.factorOf(entry, metric) : null;
    const values = factor === null ? [] : runValues(entry, { metric: metricId, flagged: true });
    return {
      treatment: model.identity(entry),
      points: values.map(({ runId, name, block, value, flagged }) => ({
        id: runId,
        name: `${name}, repetition ${block}`,
        value: value * (factor ?? 1),
        isFlagged: flagged,
      })),
    };
  });
}

/** Returns "Not drawn: 2 of 48 runs (2 without connection set-up)."; '' if each run has a point. */
function missingRuns(model: ComparisonViewModel, metric: MetricDefinition): string {
  const entries = model.groups.flatMap(({ estimates }) => estimates.map(({ treatment }) => treatment));
  return describeNotDrawn(
    entries.flatMap((entry) => {
      const points = runValues(entry, { metric: metric.id, flagged: true }).length;
      const reason = model.factorOf(entry, metric) === null ? 'without a baseline' : null;
      const without = entry.runs.slice(points).map(() => `without ${nounOf(metric)}`);
      return [...Array.from({ length: points }, () => reason), ...without];
    }),
    'run',
  );
}

/** Returns the rows of each shown panel, with a heading if there are several. */
function withHeadings(model: ComparisonViewModel, rows: readonly StripRow[]): StripRow[] {
  const byId = new Map(model.shown.map(({ id }, index) => [id, rows[index]]));
  return model.groups.flatMap(({ title, estimates }) => [
    ...(model.groups.length > 1
      ? [{ isHeading: true, treatment: { index: 1, label: title, shortLabel: title }, points: [] }]
      : []),
    ...estimates.flatMap(({ treatment }) => byId.get(treatment.id) ?? []),
  ]);
}

/** Returns the response and the additional metrics. */
export function stripMetrics(model: ComparisonViewModel): MetricDefinition[] {
  const chosen = model.multiples.map(({ metric }) => metric);
  if (chosen.length > 1) return chosen;
  const isThere = (id: string) => runRows(model, id).some(({ points }) => points.length > 0);
  const others = companions.filter((id) => id !== model.metric.id && isThere(id)).slice(0, beside);
  return [...chosen, ...metrics.filter(({ id }) => others.includes(id))];
}

/** Returns the points of the included runs. Flagged runs are included only on request. */
function countedPoints(model: ComparisonViewModel, metric: string) {
  const points = runRows(model, metric).flatMap((row) => row.points);
  return points.filter(({ isFlagged }) => model.flagged || !isFlagged);
}

/** Returns the ids of the runs in the selected range; null without a selection. */
export function brushedRuns(model: ComparisonViewModel, brush: RunBrush | null): ReadonlySet<number> | null {
  if (!brush) return null;
  const [from, to] = brush.range;
  const points = countedPoints(model, brush.metric);
  return new Set(points.filter(({ value }) => value >= from && value <= to).map(({ id }) => id));
}

/** Returns the ids of the treatments that have any of these runs. */
export function treatmentsOf(model: ComparisonViewModel, runs: ReadonlySet<number>): string[] {
  return model.shown.filter((entry) => entry.runs.some(({ runId }) => runs.has(runId))).map(({ id }) => id);
}
