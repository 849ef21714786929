import { canBeLog, noLogNote } from '@mqttlab/charts/drawing/axis';
import { type BarDatum, type BarGroup, barMeans, barTable, describeBars } from '@mqttlab/charts/kinds/bar';
import type { DocumentTable } from '@mqttlab/charts/table';
import { type Choice, estimateTreatments, type TreatmentEstimate } from '@mqttlab/shared/analysis/contrasts';
import { flaggedCount, isLargelyFlagged } from '@mqttlab/shared/analysis/flagged-runs';
import { centreWords } from '@mqttlab/shared/analysis/phrase';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { IconX } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { WideChart } from '../../charts/chart.tsx';
import { FigurePanel } from '../../charts/panels/figure-panel.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { groupMetrics, SearchPick } from '../../ui/input/pick.tsx';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import styles from './compare.module.css';
import {
  type ComparisonViewModel,
  type MetricMultiple,
  percentNote,
  scaleEstimate,
} from './comparison-view-model.ts';
import { bounds } from './distribution-panel.tsx';
import { PreviewBadge, previewNote } from './flagged-notice.tsx';
import { describeNotDrawn, whyNotDrawn } from './not-drawn.ts';

type BarsPanelProps = {
  comparison: Comparison;
  model: ComparisonViewModel;
  onAdd(metric: string): void;
  onRemove(metric: string): void;
};

/** Metrics next to the response: means over runs with 95 % t intervals. */
export function BarsPanel({ comparison, model, onAdd, onRemove }: BarsPanelProps): ReactElement {
  const multiples = withBars(model);
  const percent = model.unit === 'baseline' ? `; % ${percentNote}` : '';
  const isWithoutLog = model.scale === 'log' && multiples.some(({ bars }) => !canBeLog(barMeans(bars)));
  const isPreview = multiples.some(({ bars }) => hasPreview(bars));
  return (
    <FigurePanel
      title={`${multiples.length} metrics side by side`}
      subtitle={`geometric mean of runs (mean for counts and shares), 95 % t interval${percent}${isWithoutLog ? `; ${noLogNote}` : ''}${isPreview ? previewNote : ''}`}
      mark={isPreview && <PreviewBadge />}
      table={multiplesTable(multiples)}
      actions={<MetricAdder comparison={comparison} model={model} onAdd={onAdd} />}
    >
      <Multiples
        multiples={multiples}
        scaleOf={model.scaleOf}
        actionOf={(metric) =>
          metric.id !== model.metric.id && (
            <IconButton icon={IconX} label={`Remove ${metric.label}`} onClick={() => onRemove(metric.id)} />
          )
        }
      />
    </FigurePanel>
  );
}

/** Measured metrics that are not shown yet. */
export function MetricAdder({ comparison, model, onAdd }: Omit<BarsPanelProps, 'onRemove'>): ReactElement {
  const taken = new Set(model.multiples.map(({ metric }) => metric.id));
  const offered = metrics.filter(
    ({ id }) =>
      !taken.has(id) &&
      comparison.treatments.some((entry) => entry.runs.some((run) => typeof run.metrics[id] === 'number')),
  );
  return (
    <SearchPick
      label="Additional metric"
      placeholder="Search metrics"
      trigger="Add a metric"
      value=""
      groups={groupMetrics(offered)}
      onChange={onAdd}
    />
  );
}

/** `reasons` states for each treatment why it has no bar, or null if it has one. */
type DrawnMultiple = MetricMultiple & { bars: BarGroup[]; reasons: (string | null)[] };

export function withBars(model: ComparisonViewModel): DrawnMultiple[] {
  return model.multiples.map((multiple) => {
    const bars = barsOf(multiple, model);
    return { ...multiple, bars, reasons: reasonsOf(multiple, bars, model) };
  });
}

function reasonsOf(
  { metric, groups }: MetricMultiple,
  bars: readonly BarGroup[],
  model: ComparisonViewModel,
): (string | null)[] {
  const drawn = new Set(bars.flatMap((group) => group.bars.map(({ treatment }) => treatment.id)));
  return groups
    .flatMap(({ estimates }) => estimates)
    .map(({ treatment }) => {
      if (drawn.has(treatment.id)) return null;
      return whyNotDrawn(treatment, { metric, flagged: model.flagged }) ?? 'without a baseline';
    });
}

type MultiplesProps = {
  multiples: readonly DrawnMultiple[];
  scaleOf: ComparisonViewModel['scaleOf'];
  /** Controls next to the heading of a metric. */
  actionOf?: (metric: MetricMultiple['metric']) => ReactNode;
};

/** Metrics side by side, each with a separate scale. */
export function Multiples({ multiples, scaleOf, actionOf }: MultiplesProps): ReactElement {
  const isSingle = multiples.length === 1;
  return (
    <div
      className={styles.metrics}
      data-single={isSingle || undefined}
      data-four={multiples.length === 4 || undefined}
    >
      {multiples.map(({ metric, unit, bars, reasons }) => (
        <div key={metric.id}>
          {!isSingle && (
            <div className={styles.metricHead}>
              <h3 className={styles.facet}>{metric.label}</h3>
              <span className={styles.metricUnit}>{unit}</span>
              {actionOf?.(metric)}
            </div>
          )}
          {bars.some((group) => group.bars.length > 0) ? (
            <WideChart
              describe={describeBars}
              label={`${metric.label}, ${centreWords(metric.id)}`}
              unit={unit}
              groups={bars}
              scale={scaleOf(metric)}
            />
          ) : (
            <p className={styles.method}>
              No chart: no valid run has this metric, or there is no baseline to compare with.
            </p>
          )}
          <p className={styles.method}>{describeNotDrawn(reasons)}</p>
        </div>
      ))}
    </div>
  );
}

function barsOf({ metric, groups }: MetricMultiple, model: ComparisonViewModel): BarGroup[] {
  const { flagged, shown } = model;
  const previews = !flagged && isLargelyFlagged(shown, metric);
  return groups.map((group) => ({
    title: group.title,
    bars: group.estimates.flatMap((entry) =>
      barsOfTreatment(model.identity(entry.treatment), entry, {
        metric,
        flagged,
        previews,
        factor: model.factorOf(entry.treatment, metric),
      }),
    ),
  }));
}

export function hasPreview(groups: readonly BarGroup[]): boolean {
  return groups.some(({ bars }) => bars.some(({ isPreview }) => isPreview));
}

type BarChoice = Choice & {
  /** Whether flagged runs are included as a preview. */
  previews: boolean;
  /** Factor that converts preview values to the displayed unit; null without a baseline. */
  factor: number | null;
};

/** Returns one bar, or a note if every run with a value is flagged. Returns nothing if no run has a value. */
export function barsOfTreatment(
  identity: TreatmentIdentity,
  { treatment, estimate }: TreatmentEstimate,
  { metric, flagged, previews, factor }: BarChoice,
): BarDatum[] {
  const note = flagged ? null : flaggedCount(treatment, metric);
  const noted = note === null ? {} : { note };
  const { value } = estimate;
  if (value !== null) {
    return [{ treatment: identity, value, ...bounds(estimate), ...(previews ? noted : {}) }];
  }
  const included = estimateTreatments([treatment], { metric, flagged: true })[0]?.estimate;
  if (note === null || !included || included.value === null) return [];
  const preview = scaleEstimate(included, factor);
  if (!previews || preview.value === null) return [{ treatment: identity, value: null, note }];
  return [{ treatment: identity, value: preview.value, ...bounds(preview), note, isPreview: true }];
}

export function multiplesTable(multiples: readonly DrawnMultiple[]): DocumentTable {
  const [first, ...rest] = multiples.map(({ unit, bars }) => barTable(bars, unit));
  if (!first || rest.length === 0) return first ?? { columns: [], rows: [] };
  return {
    columns: [{ head: 'Metric' }, ...first.columns.map(({ head }) => ({ head }))],
    rows: [first, ...rest].flatMap(({ rows }, index) => {
      const multiple = multiples[index];
      return rows.map((row) => [`${multiple?.metric.label}, ${multiple?.unit}`, ...row]);
    }),
  };
}
