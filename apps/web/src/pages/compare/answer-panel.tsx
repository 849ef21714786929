import { describeStacks, type StackedBars as Stacks, stackedTable } from '@mqttlab/charts/kinds/stack';
import { runValues } from '@mqttlab/shared/analysis/run-values';
import { answerPictureOf } from '@mqttlab/shared/catalogue/workloads';
import type { ComparedSeries, ComparedTreatment, Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { mean } from '@mqttlab/shared/statistics/descriptive/summary';
import { type ReactElement, useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { FigurePanel } from '../../charts/panels/figure-panel.tsx';
import { hasPreview, Multiples, multiplesTable, withBars } from './bars-panel.tsx';
import type { CompareState } from './compare-state.ts';
import { type ComparisonViewModel, makeComparisonViewModel } from './comparison-view-model.ts';
import { PreviewBadge, previewNote } from './flagged-notice.tsx';
import { SeriesPanel } from './series-panel.tsx';

type Picture = NonNullable<ReturnType<typeof pictureOf>>;
type Parts = Extract<Picture, { layout: 'beside' | 'stacked' }>;

/** Returns the chart that a comparison opens with; null if the response alone answers the question. */
export function pictureOf({ treatments }: Comparison): ReturnType<typeof answerPictureOf> {
  return answerPictureOf(treatments.map(({ treatment }) => treatment.spec));
}

type AnswerPanelProps = {
  comparison: Comparison;
  state: CompareState;
  /** Series of the metric that the answer shows over time; null if it is missing. */
  series: readonly ComparedSeries[] | null;
};

/** The main chart for a workload: states side by side, stacked phases, or successful attempts over time. */
export function AnswerPanel({ comparison, state, series }: AnswerPanelProps): ReactElement | null {
  const picture = useMemo(() => pictureOf(comparison), [comparison]);
  const model = useMemo(() => {
    const [first, ...rest] = picture && picture.layout !== 'over time' ? picture.parts : [];
    const chosen = first ? { metric: first.metric, more: rest.map(({ metric }) => metric) } : {};
    return makeComparisonViewModel(comparison, { ...state, unit: 'absolute', ...chosen });
  }, [comparison, state, picture]);
  if (!picture || !model || model.allRuns === 0) return null;
  if (picture.layout === 'over time') {
    if (!series?.some(({ metric }) => metric === picture.metric)) return null;
    return <SeriesPanel model={model} series={series} drawn={picture} onChange={undefined} />;
  }
  return picture.layout === 'stacked' ? (
    <StacksPanel picture={picture} model={model} />
  ) : (
    <BesidePanel picture={picture} model={model} />
  );
}

type PartsPanelProps = { picture: Parts; model: ComparisonViewModel };

function BesidePanel({ picture, model }: PartsPanelProps): ReactElement {
  const multiples = useMemo(() => withBars(model), [model]);
  const isPreview = multiples.some(({ bars }) => hasPreview(bars));
  return (
    <FigurePanel
      title={picture.title}
      subtitle={`${model.metric.unit}; separate scale for each state, geometric mean of runs, 95 % t interval${isPreview ? previewNote : ''}`}
      mark={isPreview && <PreviewBadge />}
      table={multiplesTable(multiples)}
    >
      <Multiples multiples={multiples} scaleOf={model.scaleOf} />
    </FigurePanel>
  );
}

function StacksPanel({ picture, model }: PartsPanelProps): ReactElement | null {
  const stacks = useMemo(() => stacksOf(picture, model), [picture, model]);
  if (stacks.bars.length === 0) return null;
  const { unit } = model.metric;
  return (
    <FigurePanel
      title={picture.title}
      subtitle={`${unit}; arithmetic mean of runs, so that the parts add up`}
      table={stackedTable(stacks, { head: 'Treatment', unit })}
      footnote="Time between phases is not shown. The metric “Connection set-up” includes it."
    >
      <Chart describe={describeStacks} label={picture.title} unit={unit} data={stacks} />
    </FigurePanel>
  );
}

/**
 * Returns a bar for each treatment that has any part. Missing parts, such as TLS on a plain connection, are
 * zero.
 */
export function stacksOf({ parts }: Pick<Parts, 'parts'>, model: ComparisonViewModel): Stacks {
  const meanOf = (entry: ComparedTreatment, metric: string) =>
    mean(runValues(entry, { metric, flagged: model.flagged }).map(({ value }) => value));
  const bars = model.shown.flatMap((entry) => {
    const means = parts.map(({ metric }) => meanOf(entry, metric));
    if (means.every((one) => one === null)) return [];
    return [{ name: model.nameOf(entry), parts: means.map((one) => one ?? 0) }];
  });
  return { parts: parts.map(({ label }) => label), bars };
}
