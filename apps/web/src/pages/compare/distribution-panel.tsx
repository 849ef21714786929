import { canBeLog, noLogNote } from '@mqttlab/charts/drawing/axis';
import {
  type BoxDatum,
  type BoxPanel,
  boxChartTable,
  boxValues,
  hasLongWhiskers,
  isFarFromZero,
} from '@mqttlab/charts/kinds/box';
import { estimateTreatments } from '@mqttlab/shared/analysis/contrasts';
import { flaggedCount, isLargelyFlagged } from '@mqttlab/shared/analysis/flagged-runs';
import { centreWords, nounOf } from '@mqttlab/shared/analysis/phrase';
import type { RunValue } from '@mqttlab/shared/analysis/run-values';
import { plural } from '@mqttlab/shared/format/number';
import { quantile } from '@mqttlab/shared/statistics/descriptive/summary';
import type { ReactElement } from 'react';
import { BoxChart } from '../../charts/box-chart.tsx';
import { FigurePanel } from '../../charts/panels/figure-panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import {
  type ComparedGroup,
  type ComparisonViewModel,
  percentNote,
  scaleEstimate,
  shownUnit,
} from './comparison-view-model.ts';
import { PreviewBadge, previewNote } from './flagged-notice.tsx';
import { describeNotDrawn, whyNotDrawn } from './not-drawn.ts';

type DistributionPanelProps = { model: ComparisonViewModel; flagged: boolean };

/** Box plots, over messages for latency and over runs for all other metrics. */
export function DistributionPanel({ model, flagged }: DistributionPanelProps): ReactElement {
  const { metric, groups } = model;
  const isLatency = metric.id.startsWith('latency.');
  const previews = !flagged && isLargelyFlagged(model.shown, metric);
  const panels = groups.map((group) => ({
    title: group.title,
    note: runsNote(group),
    boxes: group.estimates.flatMap((entry): BoxDatum[] => {
      const { treatment } = entry;
      const identity = model.identity(treatment);
      const note = flagged ? null : flaggedCount(treatment, metric);
      const isOut = entry.estimate.value === null && note !== null;
      const factor = model.factorOf(treatment, metric);
      if (isOut && (!previews || factor === null)) return [{ treatment: identity, ...noBox, note }];
      const [included] = isOut ? estimateTreatments([treatment], { metric, flagged: true }) : [entry];
      if (!included || factor === null || included.estimate.value === null) return [];
      const scaled = scaleEstimate(included.estimate, factor);
      const marked = {
        ...(previews && note !== null ? { note } : {}),
        ...(isOut ? { isPreview: true } : {}),
      };
      const figure = { mean: scaled.value ?? Number.NaN, ...bounds(scaled), ...marked };
      if (!isLatency) return [{ treatment: identity, ...boxOf(included.values, factor), ...figure }];
      const latency = flagged || isOut ? treatment.latencyWithFlagged : treatment.latency;
      if (!latency) return [];
      const { p5, p25, p50, p75, p95 } = latency;
      const box = { p5: p5 * factor, p25: p25 * factor, p50: p50 * factor, p75: p75 * factor };
      return [{ treatment: identity, ...box, p95: p95 * factor, ...figure }];
    }),
  }));
  const isPreview = panels.some(({ boxes }) => boxes.some((box) => box.isPreview));
  const drawn = new Set(panels.flatMap(({ boxes }) => boxes.map(({ treatment }) => treatment.id)));
  const reasons = groups
    .flatMap(({ estimates }) => estimates)
    .map(({ treatment }) => {
      if (drawn.has(treatment.id)) return null;
      if (model.factorOf(treatment, metric) === null) return 'without a baseline';
      return whyNotDrawn(treatment, { metric, flagged }) ?? 'without message latencies';
    });
  const title = `Distribution of ${isLatency ? 'message latency' : nounOf(metric)}`;
  const what = isLatency ? 'all messages' : 'run values';
  const unit = shownUnit(model.unit, isLatency ? 'ms' : metric.unit);
  // Boxes and long whiskers are both visible only on a logarithmic axis.
  const scale = model.scale === 'auto' ? (hasLongWhiskers(panels) ? 'log' : 'linear') : model.scale;
  const canLog = canBeLog(boxValues(panels));
  const axis =
    scale === 'log'
      ? canLog
        ? '; log axis'
        : `; ${noLogNote}`
      : isFarFromZero(panels)
        ? '; the axis does not start at zero'
        : '';
  const percent = model.unit === 'baseline' ? ` ${percentNote}` : '';
  return (
    <FigurePanel
      title={title}
      subtitle={`${unit}${percent}; ${what}: box P25 to P75, whiskers P5 to P95; marker and figures: ${nounOf(metric)}, ${centreWords(metric.id)} [95 % CI]${axis}${isPreview ? previewNote : ''}`}
      mark={isPreview && <PreviewBadge />}
      table={boxChartTable(panels, unit)}
      footnote={describeNotDrawn(reasons)}
    >
      {withBoxes(panels).length === 0 ? (
        <EmptyState sentence="No chart: no included run has this metric." />
      ) : (
        <BoxChart
          label={title}
          unit={unit}
          centre={nounOf(metric)}
          panels={withBoxes(panels)}
          scale={scale}
          sharedScale
          zooms
          heightPx={400}
        />
      )}
    </FigurePanel>
  );
}

/** Placeholder for a treatment that has only a note. */
const noBox = { p5: NaN, p25: NaN, p50: NaN, p75: NaN, p95: NaN, mean: NaN };

function boxOf(
  values: readonly RunValue[],
  factor: number,
): Pick<BoxDatum, 'p5' | 'p25' | 'p50' | 'p75' | 'p95'> {
  const scaled = values.map(({ value }) => value * factor);
  const at = (p: number) => quantile(scaled, p) ?? Number.NaN;
  return { p5: at(0.05), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) };
}

/** Returns the bounds if there are any. Otherwise the properties are absent, as the charts require. */
export function bounds({ lo, hi }: { lo: number | null; hi: number | null }): { lo?: number; hi?: number } {
  return lo === null || hi === null ? {} : { lo, hi };
}

function runsNote(group: ComparedGroup): string {
  const runs = group.estimates.reduce((sum, estimate) => sum + estimate.values.length, 0);
  return plural(runs, 'run');
}

/** The chart omits panels without values, but the table includes them. */
function withBoxes(panels: readonly BoxPanel[]): BoxPanel[] {
  return panels.filter((panel) => panel.boxes.length > 0);
}
