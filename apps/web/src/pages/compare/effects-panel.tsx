import type { Contrast } from '@mqttlab/shared/analysis/contrasts';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { contrastSentence, reasonOf } from '@mqttlab/shared/analysis/findings';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import type { ReactElement } from 'react';
import {
  type EffectDatum,
  type EffectGroup,
  type EffectKind,
  effectTable,
} from '../../charts/datasets/effect-data.ts';
import { EffectChart } from '../../charts/effect-chart.tsx';
import { ChartPanel } from '../../charts/panels/chart-panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { ComparisonViewModel } from './comparison-view-model.ts';

/** Each treatment against its baseline: ratio where every one has an interval, else difference. */
export function EffectsPanel({ model }: { model: ComparisonViewModel }): ReactElement {
  const { contrasts, metric, baselineName } = model;
  const here = new Set(
    model.groups.flatMap(({ estimates }) => estimates.map(({ treatment }) => treatment.id)),
  );
  const drawn = contrasts.filter(({ treatment }) => here.has(treatment.id));
  const isRatio = contrasts.some(({ scale, value }) => scale === 'ratio' && value !== null);
  const kind: EffectKind = isRatio ? 'ratio' : 'difference';
  const groups = groupEffects(model, kind);
  const method = contrasts.some((one) => one.method === 'paired by repetition')
    ? 'paired by repetition'
    : 'Welch';
  const against = baselineName ? `against ${baselineName}` : '';
  return (
    <ChartPanel
      title={`${metric.label} ${against}`}
      subtitle={`${isRatio ? 'ratio of geometric means' : `difference of means, ${metric.unit}`} [95 % t interval${isRatio ? ' on the log scale' : ''}], ${method}; Hedges g; p after Holm over ${contrasts.length}`}
      table={effectTable({ kind, unit: metric.unit, groups })}
      footnote={groups.length > 0 && describeLeftOut({ contrasts: drawn, metric })}
    >
      {groups.length === 0 ? (
        <EmptyState sentence={describeNothing({ contrasts: drawn })} />
      ) : (
        <EffectChart label={`${metric.label} ${against}`} kind={kind} unit={metric.unit} groups={groups} />
      )}
    </ChartPanel>
  );
}

function groupEffects(model: ComparisonViewModel, kind: EffectKind): EffectGroup[] {
  return model.groups.flatMap((group) => {
    const rows = group.estimates.flatMap(({ treatment }) => {
      const contrast = model.contrasts.find((entry) => entry.treatment.id === treatment.id);
      const datum = contrast ? effectOf(contrast, kind) : null;
      return datum ? [{ ...datum, treatment: model.identity(treatment) }] : [];
    });
    return rows.length > 0 ? [{ title: group.title, rows }] : [];
  });
}

function effectOf(contrast: Contrast, kind: EffectKind): Omit<EffectDatum, 'treatment'> | null {
  const { scale, value, lo, hi, hedgesG, p, outcome } = contrast;
  if (scale !== kind || value === null) return null;
  // Without any variance the value is exact: a point.
  if (outcome === 'exact') return { value, lo: value, hi: value, g: null, p: null };
  return lo === null || hi === null ? null : { value, lo, hi, g: hedgesG, p };
}

type Judged = { contrasts: readonly Contrast[]; metric: MetricDefinition };

/** Why nothing can be drawn, in one sentence. */
export function describeNothing({ contrasts }: Pick<Judged, 'contrasts'>): string {
  if (contrasts.length === 0) return 'No treatment here can be compared with a baseline.';
  const [first] = contrasts;
  const outcomes = new Set(contrasts.map(({ outcome }) => outcome));
  if (outcomes.has('not comparable')) {
    return 'These figures were measured in different ways, so no difference is given.';
  }
  if (outcomes.has('few')) {
    return `${minRuns} valid runs of a treatment and of its baseline are needed for an interval.`;
  }
  return first ? `Nothing to draw: ${reasonOf(first)}.` : '';
}

/** What the picture leaves out, and why; '' where it shows everything. */
export function describeLeftOut({ contrasts, metric }: Judged): string {
  const of = (outcome: Contrast['outcome']) => contrasts.filter((one) => one.outcome === outcome);
  const [apart, alike, few] = [of('not comparable'), of('same'), of('few')];
  const [first] = apart;
  return [
    // Figures of different bases are never compared: one sentence says so.
    ...(first ? [`${apart.length} not compared. ${contrastSentence(first, metric)}`] : []),
    ...(alike.length > 0 ? [`${alike.length} the same as the baseline in every run.`] : []),
    ...(few.length > 0 ? [`${few.length} left out: fewer than ${minRuns} valid runs on a side.`] : []),
  ].join(' ');
}
