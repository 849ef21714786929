import { type Axis, rowAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure, Plot } from '@mqttlab/charts/drawing/figure';
import { type LabelSpec, label, line, makePanel, marker } from '@mqttlab/charts/drawing/plot';
import { faded } from '@mqttlab/charts/drawing/shapes';
import type { SvgNode } from '@mqttlab/charts/drawing/svg';
import { type ReactElement, useMemo } from 'react';
import { barMark } from './bar-interval-chart.tsx';
import { estimateText, estimateWidth } from './canvas/chart-marks.ts';
import { type ChartTheme, useChartTheme, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useWidth } from './canvas/use-figure.ts';
import { barAxis, barFigure } from './datasets/bar-interval-data.ts';
import {
  type EffectAxis,
  type EffectDatum,
  type EffectKind,
  effectPosition,
  effectScales,
  effectTexts,
} from './datasets/effect-data.ts';
import { type EstimateGroup, type EstimateRow, runsText } from './datasets/estimate-data.ts';
import { effectMark, runMarks, squaresWidth } from './estimate-marks.ts';

export type EstimateChartProps = {
  label: string;
  /** Of the means, and of differences. */
  unit: string;
  kind: EffectKind;
  scale: 'linear' | 'log';
  /** One scale for all means; effects have a scale of their own where one for all would hide them. */
  groups: readonly EstimateGroup[];
};

/** With less than this for each of the two plots there is one, and what stands beside it goes above and below. */
const plotPx = 110;
const gapPx = 16;
const headPx = 22;
const titlePx = 24;
const axisPx = 22;
const rowPx = 24;
const tallRowPx = 64;
/** Of a figure on a line of its own. */
const linePx = 15;

/** Treatments by panel: runs, mean with its interval, and how it stands to its baseline, in one row. */
export function EstimateChart({ label: name, unit, kind, scale, groups }: EstimateChartProps): ReactElement {
  const [ref, width] = useWidth();
  const theme = useChartTheme();
  const figures = useMemo(() => {
    const columns = measureColumns(theme, kind, groups);
    const { name: names, runs, figure, effect, p, outcome, gaps } = columns;
    const plot = (width - names - runs - figure - effect - p - outcome - gaps) / (effect > 0 ? 2 : 1);
    const bars = groups.map(({ title, rows }) => ({ title, bars: rows.map(({ bar }) => bar) }));
    const scales = effectScales(kind, groups.map(effectsOf));
    return groups.map((group, i) =>
      describeEstimates(theme, {
        label: [name, group.title].filter(Boolean).join(', '),
        kind,
        unit,
        group,
        columns: { ...columns, plot },
        axis: barAxis(bars, scale),
        effectAxis: scales[i] ?? null,
        isWide: plot >= plotPx,
        isApart: plot < plotPx && names + figure + gapPx > width,
        showsHead: i === 0,
        showsAxis: i === groups.length - 1 || scales[i] !== scales[i + 1],
      }),
    );
  }, [theme, name, kind, unit, scale, groups, width]);
  return (
    <div ref={ref}>
      {width > 0 && figures.map((figure) => <FigureChart key={figure.label} figure={figure} />)}
    </div>
  );
}

function effectsOf({ rows }: EstimateGroup): EffectDatum[] {
  return rows.flatMap(({ effect }) => effect ?? []);
}

/** Widths of the text columns, shared by all groups; 0 where there is no effect to show. */
type Columns = Record<'name' | 'runs' | 'figure' | 'effect' | 'p' | 'outcome' | 'gaps', number>;

function measureColumns(theme: ChartTheme, kind: EffectKind, groups: readonly EstimateGroup[]): Columns {
  const rows = groups.flatMap((group) => group.rows);
  const texts = groups.flatMap(effectsOf).map((effect) => effectTexts(kind, effect));
  const ofTexts = (all: readonly string[]) => widest(all.map((text) => theme.widthOf(text)));
  const hasEffects = texts.length > 0;
  return {
    name: widest(rows.map(({ bar }) => theme.widthOf(bar.treatment.shortLabel, 500))) + 24,
    runs: widest(rows.map(({ runs }) => squaresWidth(runs) + theme.widthOf(runsText(runs)))),
    figure: widest(rows.map(({ bar }) => estimateWidth(theme, barFigure(bar)))),
    effect: hasEffects ? widest(texts.map((text) => estimateWidth(theme, text))) + timesPx : 0,
    p: hasEffects ? ofTexts([...texts.map(({ p }) => p), 'p (Holm)']) : 0,
    outcome: ofTexts([...rows.map(({ outcome }) => outcome), 'against baseline']),
    gaps: (hasEffects ? 7 : 4) * gapPx,
  };
}

/** Of the sign before a ratio. */
const timesPx = 8;

type EstimateView = {
  label: string;
  kind: EffectKind;
  unit: string;
  group: EstimateGroup;
  columns: Columns & { plot: number };
  axis: Axis;
  effectAxis: EffectAxis | null;
  isWide: boolean;
  /** Name and figure do not fit beside each other. */
  isApart: boolean;
  showsHead: boolean;
  showsAxis: boolean;
};

function describeEstimates(theme: ChartTheme, view: EstimateView): Figure {
  const {
    label: name,
    kind,
    unit,
    group,
    columns,
    axis,
    effectAxis,
    isWide,
    isApart,
    showsHead,
    showsAxis,
  } = view;
  const { title, rows } = group;
  const height = isWide ? rowPx : tallRowPx + (isApart ? linePx : 0);
  const lift = isApart ? linePx / 2 : 0;
  const top = (showsHead && isWide ? headPx : 0) + (title ? titlePx : 0);
  const bottom = showsAxis || !isWide ? axisPx : 6;
  const hasEffects = columns.effect > 0;
  const left = columns.name + columns.runs + 2 * gapPx;
  const margins = {
    top,
    bottom,
    left: isWide ? left : 4,
    right: isWide
      ? columns.figure +
        columns.outcome +
        2 * gapPx +
        (hasEffects ? columns.plot + columns.effect + columns.p + 3 * gapPx : 0)
      : 4,
  };
  /** Right ends of the columns of text. */
  const endsOf = ({ width, area }: Plot) => {
    const p = width - columns.outcome - gapPx;
    return { figure: area.right + columns.figure + gapPx, effect: p - columns.p - gapPx, p };
  };
  const effectArea = (plot: Plot) => {
    const start = endsOf(plot).figure + gapPx;
    return { ...plot.area, left: start, right: start + columns.plot - gapPx };
  };
  const y = rowAxis(rows.length);

  const drawRow = (row: EstimateRow, i: number, plot: Plot): SvgNode[] => {
    const { bar, effect, runs, outcome, isClear } = row;
    const { treatment } = bar;
    const middle = plot.y(i);
    const firstY = isWide ? middle : middle - 19 - lift;
    const lastY = isWide ? middle : middle + 20 + lift;
    const ends = endsOf(plot);
    const texts = effect && withSign(kind, effectTexts(kind, effect));
    const told: LabelSpec = {
      x: plot.width,
      y: lastY,
      anchor: 'end',
      fill: isClear ? theme.text : theme.text3,
    };
    const above = middle - height / 2;
    return [
      ...(i > 0 ? [line({ from: [0, above], to: [plot.width, above], stroke: theme.grid })] : []),
      faded(treatment.isDimmed, [
        marker(theme, treatment.index, { x: 6, y: firstY }),
        label(treatment.shortLabel, { x: 18, y: firstY, weight: 500, fill: theme.text, halo: theme.surface }),
        ...barMark(theme, bar, { axis, x: plot.x, y: middle + lift, area: plot.area }),
        ...estimateText(theme, {
          ...barFigure(bar),
          isPreview: bar.isPreview,
          x: isWide ? ends.figure : plot.width,
          y: firstY + 2 * lift,
        }),
        ...runMarks(theme, runs, {
          x: isWide ? columns.name + gapPx : plot.width - squaresWidth(runs) - theme.widthOf(runsText(runs)),
          y: lastY,
        }),
        ...(isWide
          ? [
              label(outcome, told),
              ...(texts
                ? [
                    ...estimateText(theme, { ...texts, x: ends.effect, y: middle }),
                    label(texts.p, { x: ends.p, y: middle, anchor: 'end', fill: theme.text2 }),
                  ]
                : []),
            ]
          : [
              label([texts && `${texts.value} ${texts.interval}`, outcome].filter(Boolean).join(', '), {
                ...told,
                x: 0,
                anchor: 'start',
              }),
            ]),
      ]),
    ];
  };

  const drawEffects = (plot: Plot): SvgNode[] => {
    if (!hasEffects || !isWide || !effectAxis) return [];
    const area = effectArea(plot);
    const panel = makePanel({ palette: theme, area, x: effectAxis, y, xGrid: true, hidesX: !showsAxis });
    const { reference } = effectAxis;
    return [
      ...panel.ground,
      ...(reference === null
        ? []
        : [
            line({
              from: [panel.x(reference), area.top],
              to: [panel.x(reference), area.bottom],
              stroke: theme.axis,
              width: 1.5,
            }),
          ]),
      ...rows.flatMap(({ bar: { treatment }, effect, isClear }, i) => {
        if (!effect) return [];
        const x = (value: number) => panel.x(effectPosition(kind, value));
        const at = { value: x(effect.value), lo: x(effect.lo), hi: x(effect.hi), y: panel.y(i), isClear };
        return [faded(treatment.isDimmed, effectMark(theme, treatment.index, at))];
      }),
    ];
  };

  return {
    label: name,
    heightPx: top + rows.length * height + bottom,
    margins,
    x: axis,
    y,
    ground: { xGrid: true, xUnit: unit, hidesX: bottom !== axisPx },
    hover: { axis: 'y', px: 12 },
    tips: rows.map(({ bar, effect, runs, outcome }, at) => {
      const { value, interval } = barFigure(bar);
      const figure =
        bar.value === null ? [] : [`${bar.isPreview ? 'preview: ' : ''}${value} ${unit} ${interval}`];
      const texts = effect && effectTexts(kind, effect);
      const against = texts
        ? [
            `${kind} ${texts.value} ${texts.interval}: ${outcome}`,
            `Hedges g ${texts.g}, p ${texts.p} after Holm`,
          ]
        : [outcome];
      const tip = [bar.treatment.label, ...figure, ...against, runsText(runs)];
      return { x: bar.value ?? axis.min, y: at, tip, pick: bar.treatment.id };
    }),
    above: (plot) => {
      const ends = endsOf(plot);
      const titleY = top - titlePx / 2;
      const heads: [string, number, 'start' | 'end'][] = [
        ['runs', columns.name + gapPx, 'start'],
        [`${unit} [95 % CI]`, ends.figure, 'end'],
        ['against baseline', plot.width, 'end'],
        ...(hasEffects
          ? ([
              [kind === 'ratio' ? 'ratio [95 % CI]' : `difference, ${unit} [95 % CI]`, ends.effect, 'end'],
              ['p (Holm)', ends.p, 'end'],
            ] as [string, number, 'start' | 'end'][])
          : []),
      ];
      return [
        ...(showsHead && isWide
          ? heads.map(([text, x, anchor]) => label(text, { x, y: 8, anchor, fill: theme.text3 }))
          : []),
        ...(title
          ? [label(title, { x: 0, y: titleY, weight: 600, fill: theme.text, halo: theme.surface })]
          : []),
        ...drawEffects(plot),
        ...rows.flatMap((row, i) => drawRow(row, i, plot)),
      ];
    },
  };
}

function withSign(kind: EffectKind, texts: ReturnType<typeof effectTexts>): ReturnType<typeof effectTexts> {
  return kind === 'ratio' ? { ...texts, value: `\u00d7${texts.value}` } : texts;
}
