import type { Contrast } from '@mqttlab/shared/analysis/contrasts';
import type { ReactElement } from 'react';
import {
  type EffectDatum,
  type EffectGroup,
  type EffectKind,
  effectTable,
} from '../../../charts/datasets/effect-data.ts';
import { EffectChart } from '../../../charts/effect-chart.tsx';
import { ChartPanel } from '../../../charts/panels/chart-panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import type { ComparisonViewModel } from '../comparison-view-model.ts';
import { describeLeftOut, describeNothing } from '../describe-left-out.ts';

/** Each treatment against its baseline: ratio where every one has an interval, else difference. */
export function EffectsPanel({ model }: { model: ComparisonViewModel }): ReactElement {
  const { contrasts, metric, baselineName } = model;
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
      footnote={groups.length > 0 && describeLeftOut(model)}
    >
      {groups.length === 0 ? (
        <EmptyState sentence={describeNothing(model)} />
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
