import { canBeLog, noLogNote } from '@mqttlab/charts/drawing/axis';
import { type BarGroup, barMeans } from '@mqttlab/charts/kinds/bar';
import {
  describeEstimates,
  type EffectDatum,
  type EffectKind,
  type EstimateGroup,
  type EstimateRow,
  estimateTable,
} from '@mqttlab/charts/kinds/forest';
import { type Contrast, comparisonRule, holmNote } from '@mqttlab/shared/analysis/contrasts';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { contrastSentence, reasonOf } from '@mqttlab/shared/analysis/findings';
import { isClear, methodOf, outcomeWords } from '@mqttlab/shared/analysis/result';
import { isFlaggedFor } from '@mqttlab/shared/catalogue/flags';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import type { ReactElement, ReactNode } from 'react';
import { WideChart } from '../../charts/chart.tsx';
import { FigurePanel } from '../../charts/panels/figure-panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { hasPreview, withBars } from './bars-panel.tsx';
import { type ComparisonViewModel, percentNote } from './comparison-view-model.ts';
import { PreviewBadge, previewNote } from './flagged-notice.tsx';
import { describeNotDrawn } from './not-drawn.ts';

type EstimatesPanelProps = { model: ComparisonViewModel; actions?: ReactNode };

/**
 * The response of each treatment with its ratio to the baseline, or its difference if a ratio has no
 * interval.
 */
export function EstimatesPanel({ model, actions }: EstimatesPanelProps): ReactElement {
  const { contrasts, metric, baselineName } = model;
  const [response] = withBars({ ...model, multiples: model.multiples.slice(0, 1) });
  const { unit = metric.unit, bars = [], reasons = [] } = response ?? {};
  const isRatio = contrasts.some(({ scale, value }) => scale === 'ratio' && value !== null);
  const kind: EffectKind = isRatio ? 'ratio' : 'difference';
  const groups = bars.flatMap((group) => groupOf(group, { model, kind }));
  const rows = groups.flatMap((group) => group.rows);
  const here = new Set(rows.map(({ bar }) => bar.treatment.id));
  const drawn = contrasts.filter(({ treatment }) => here.has(treatment.id));
  const hasEffects = rows.some(({ effect }) => effect !== null);
  const isPreview = hasPreview(bars);
  const isPhone = useIsPhone();
  const scale = model.scaleOf(metric);
  const canLog = canBeLog(barMeans(bars));
  const subtitle = [
    model.unit === 'baseline' ? `${unit} ${percentNote}` : unit,
    methodOf(metric),
    ...(hasEffects
      ? [
          `${isRatio ? 'ratio to' : 'difference from'} ${baselineName} by ${comparisonRule(contrasts)}; ${holmNote(contrasts)}`,
        ]
      : []),
    ...(scale === 'log' && canLog ? ['log axis'] : []),
    ...(model.scale === 'log' && !canLog ? [noLogNote] : []),
  ].join('; ');
  const notes = [
    describeNotDrawn(reasons),
    hasEffects
      ? describeLeftOut({ contrasts: drawn, metric, kind })
      : describeNothing({ contrasts: drawn, whyNothing: model.whyNothing }),
    rows.some(({ runs }) => runs.includes(true)) ? 'Hatched squares: flagged runs.' : '',
    !isPhone && rows.some(({ effect, isClear: clear }) => effect !== null && !clear)
      ? 'Hollow: no clear difference (Holm-adjusted).'
      : '',
  ];
  return (
    <FigurePanel
      title={`${metric.label} by treatment`}
      subtitle={`${subtitle}${isPreview ? previewNote : ''}`}
      mark={isPreview && <PreviewBadge />}
      table={estimateTable({ kind, unit, groups })}
      actions={actions}
      footnote={notes.filter(Boolean).join(' ')}
    >
      {rows.length === 0 ? (
        <EmptyState sentence="No valid run has this metric, or there is no baseline to compare with." />
      ) : (
        <WideChart
          describe={describeEstimates}
          label={`${metric.label} by treatment`}
          unit={unit}
          kind={kind}
          scale={scale}
          groups={groups}
        />
      )}
    </FigurePanel>
  );
}

function groupOf(
  { title, bars }: BarGroup,
  { model, kind }: { model: ComparisonViewModel; kind: EffectKind },
): EstimateGroup[] {
  const rows = bars.flatMap((bar): EstimateRow[] => {
    const entry = model.shown.find(({ id }) => id === bar.treatment.id);
    if (!entry) return [];
    const contrast = model.contrasts.find(({ treatment }) => treatment.id === entry.id);
    // No claim is based on flagged runs that are shown on request.
    const isClaimed = contrast !== undefined && model.whyNothing === null;
    const datum = isClaimed ? effectOf(contrast, kind) : null;
    const runs = entry.runs.map((run) => isFlaggedFor(run, model.metric));
    return [
      {
        bar: { ...bar, ...(model.flagged && runs.includes(true) ? { isHatched: true } : {}) },
        runs,
        effect: datum && { ...datum, treatment: bar.treatment },
        outcome: isClaimed ? outcomeWords(contrast) : contrast ? 'too few valid runs' : 'baseline',
        isClear: isClaimed && isClear(contrast),
      },
    ];
  });
  return rows.length > 0 ? [{ title, rows }] : [];
}

function effectOf(contrast: Contrast, kind: EffectKind): Omit<EffectDatum, 'treatment'> | null {
  const { scale, value, lo, hi, hedgesG, p, outcome } = contrast;
  if (scale !== kind || value === null) return null;
  // Without any variance, the value is exact and drawn as a point.
  if (outcome === 'exact') return { value, lo: value, hi: value, g: null, p: null };
  return lo === null || hi === null ? null : { value, lo, hi, g: hedgesG, p };
}

type Judged = { contrasts: readonly Contrast[]; metric: MetricDefinition; kind: EffectKind };

/**
 * Returns one sentence that explains why there is no effect to draw. `whyNothing` is set if valid runs allow
 * no comparison.
 */
export function describeNothing({
  contrasts,
  whyNothing,
}: Pick<Judged, 'contrasts'> & Pick<ComparisonViewModel, 'whyNothing'>): string {
  if (whyNothing !== null) return `No ratios: a treatment and its baseline need ${minRuns} valid runs each.`;
  if (contrasts.length === 0) return 'No treatment here can be compared with a baseline.';
  const [first] = contrasts;
  const outcomes = new Set(contrasts.map(({ outcome }) => outcome));
  if (outcomes.has('not comparable')) {
    return 'These figures were measured in different ways, so no difference is given.';
  }
  if (outcomes.has('few')) {
    return `A treatment and its baseline need ${minRuns} valid runs each for an interval.`;
  }
  return first ? `No chart: ${reasonOf(first)}.` : '';
}

/** Lists omitted treatments with reasons; '' if none is omitted. */
export function describeLeftOut({ contrasts, metric, kind }: Judged): string {
  const of = (outcome: Contrast['outcome']) => contrasts.filter((one) => one.outcome === outcome);
  const [apart, alike, few] = [of('not comparable'), of('same'), of('few')];
  const other = contrasts.filter(({ scale, lo }) => scale !== kind && lo !== null);
  const [first] = apart;
  return [
    // Values measured in different ways are never compared; one sentence explains the reason.
    ...(first ? [`${apart.length} not compared. ${contrastSentence(first, metric)}`] : []),
    ...(alike.length > 0 ? [`${alike.length} equal to the baseline in every run.`] : []),
    // A run with the value zero has no ratio, so one metric may be compared on both scales.
    ...(other.length > 0
      ? [
          `${other.length} given as a ${kind === 'ratio' ? 'difference, because a run gave zero' : 'ratio'}, so only the table shows ${other.length === 1 ? 'its' : 'their'} figures.`,
        ]
      : []),
    ...(few.length > 0
      ? [`${few.length} left out: the treatment or its baseline has fewer than ${minRuns} valid runs.`]
      : []),
  ].join(' ');
}
