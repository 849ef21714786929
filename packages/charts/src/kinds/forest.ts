import { formatInterval } from '@mqttlab/shared/format/interval';
import { formatNumber } from '@mqttlab/shared/format/number';
import { formatP } from '@mqttlab/shared/format/quantity';
import { type Axis, bareAxis, cropAxis, linearAxis, niceAxis, ratioTicks, rowAxis } from '../drawing/axis.ts';
import { estimateText, estimateWidth } from '../drawing/estimate-text.ts';
import type { Figure, Plot } from '../drawing/figure.ts';
import {
  bar,
  dot,
  errorBar,
  faded,
  hatched,
  type LabelSpec,
  label,
  published,
  rule,
} from '../drawing/marks.ts';
import { colourOf, type Palette, solidOf } from '../drawing/palette.ts';
import { makePanel } from '../drawing/panel.ts';
import type { SvgNode } from '../drawing/svg.ts';
import { shorten, textWidth, widest } from '../drawing/text-width.ts';
import type { TreatmentIdentity } from '../drawing/treatments.ts';
import { columnsOf, type DocumentTable } from '../table.ts';
import { type BarDatum, barAxis, barFigure, barMark, levelHalfPx } from './bar.ts';

/** A treatment with its runs, its mean and its effect relative to the baseline. */
export interface EstimateRow {
  bar: BarDatum;
  /** True for each run that is flagged for the metric. */
  runs: readonly boolean[];
  /** null if there is no interval, and for a baseline. */
  effect: EffectDatum | null;
  /** "higher", "no clear difference", "baseline". */
  outcome: string;
  /** True if the interval excludes "no effect"; otherwise the marker is hollow. */
  isClear: boolean;
}

export interface EstimateGroup {
  title: string;
  rows: readonly EstimateRow[];
}

/** Returns "3 valid" or "2 of 3 flagged". */
export function runsText(runs: readonly boolean[]): string {
  const flagged = runs.filter(Boolean).length;
  return flagged === 0 ? `${runs.length} valid` : `${flagged} of ${runs.length} flagged`;
}

export function estimateTable({
  kind,
  unit,
  groups,
}: Pick<EstimateData, 'kind' | 'unit' | 'groups'>): DocumentTable {
  const effectUnit = kind === 'difference' ? { unit } : {};
  return {
    columns: columnsOf(
      'Group',
      'Treatment',
      'Runs',
      ['Mean', unit],
      ['95 % CI from', unit],
      ['95 % CI to', unit],
      { head: kind === 'ratio' ? 'Ratio to baseline' : 'Difference to baseline', ...effectUnit },
      { head: '95 % CI of it from', ...effectUnit },
      { head: '95 % CI of it to', ...effectUnit },
      'Hedges g',
      { head: 'p (Holm)', format: formatP },
      'Against the baseline',
    ),
    rows: groups.flatMap(({ title, rows }) =>
      rows.map(({ bar, runs, effect, outcome }) => [
        title,
        bar.treatment.label,
        runsText(runs),
        ...(bar.isPreview ? [null, null, null] : [bar.value, bar.lo ?? null, bar.hi ?? null]),
        ...[effect?.value, effect?.lo, effect?.hi, effect?.g, effect?.p].map((value) => value ?? null),
        outcome,
      ]),
    ),
  };
}

export type EffectKind = 'ratio' | 'difference';

/** Effect relative to the baseline: a ratio (1: no effect) or a difference in the chart's unit (0: no effect). */
export interface EffectDatum {
  treatment: TreatmentIdentity;
  value: number;
  lo: number;
  hi: number;
  /** Hedges' g; null if undefined. */
  g: number | null;
  /** p-value, adjusted with the method that the subtitle names. */
  p: number | null;
}

/** An axis for effects. Positions of ratios are logarithms, so that x2 and x0.5 are equally far from x1. */
export interface EffectAxis extends Axis {
  /** Position of "no effect"; null if the axis excludes it to keep the intervals visible. */
  reference: number | null;
}

export function effectPosition(kind: EffectKind, value: number): number {
  return kind === 'ratio' ? Math.log(value) : value;
}

/** Maximum width of the scale, including the reference, as a multiple of the span of the intervals. */
const maxStretch = 12;

/** Returns a scale that keeps a group's narrowest interval visible, with the reference if possible. */
export function effectScale(kind: EffectKind, rows: readonly EffectDatum[]): EffectAxis {
  const place = (value: number) => effectPosition(kind, value);
  const ends = rows
    .flatMap((row) => [row.lo, row.hi, row.value])
    .map(place)
    .filter(Number.isFinite);
  const zero = place(kind === 'ratio' ? 1 : 0);
  const own = {
    lo: Math.min(...ends, Number.POSITIVE_INFINITY),
    hi: Math.max(...ends, Number.NEGATIVE_INFINITY),
  };
  if (own.lo > own.hi) return { ...bareAxis(zero - 1, zero + 1), reference: zero };
  const span = own.hi - own.lo;
  const withZero = Math.max(own.hi, zero) - Math.min(own.lo, zero);
  // An exact effect is a point, which is visible on every scale.
  const isExact = rows.every((row) => row.lo === row.hi);
  const keepsZero = isExact || withZero / span <= maxStretch;
  const lo = keepsZero ? Math.min(own.lo, zero) : own.lo;
  const hi = keepsZero ? Math.max(own.hi, zero) : own.hi;
  const pad = (hi - lo) * 0.06 || 1;
  const min = lo - pad;
  const max = hi + pad;
  return { ...effectAxis(kind, min, max), reference: keepsZero ? zero : null };
}

/** Returns one scale for all groups, or a scale for each if the intervals of one group would be invisible. */
export function effectScales(kind: EffectKind, groups: readonly (readonly EffectDatum[])[]): EffectAxis[] {
  const all = effectScale(kind, groups.flat());
  const own = groups.map((rows) => effectScale(kind, rows));
  const span = ({ min, max }: EffectAxis) => max - min;
  const isShared = own.every((axis, i) => groups[i]?.length === 0 || span(all) <= span(axis) * maxStretch);
  return isShared ? groups.map(() => all) : own;
}

function effectAxis(kind: EffectKind, min: number, max: number): Axis {
  if (kind === 'difference') return cropAxis(niceAxis({ min, max, steps: 4 }), { min, max });
  const ticks = ratioTicks(Math.exp(min), Math.exp(max)).map(Math.log);
  const format = (at: number) => `\u00d7${Number(Math.exp(at).toPrecision(4))}`;
  return { ...bareAxis(min, max), ticks, format };
}

export interface EffectTexts {
  value: string;
  interval: string;
  g: string;
  p: string;
}

/** Ratio of an interval's ends above which the decimals of the upper end would round the lower end to zero. */
const wideRatio = 1.5;

function wideRatioTexts({ value, lo, hi }: EffectDatum): { value: string; interval: string } {
  const text = (one: number) => formatNumber(one, 2);
  return { value: text(value), interval: `[${text(lo)}, ${text(hi)}]` };
}

/** Returns the texts on the right of a row. */
export function effectTexts(kind: EffectKind, row: EffectDatum): EffectTexts {
  // All digits of the interval are needed to show on which side of 1 a ratio is.
  const format = { unitInHead: true, signed: kind === 'difference', maxSignificant: 9 };
  if (row.lo === row.hi) {
    const exact = formatInterval({ value: row.value }, format);
    return { value: exact.value, interval: 'in every run', g: '\u2013', p: '\u2013' };
  }
  return {
    ...(kind === 'ratio' && row.hi > row.lo * wideRatio ? wideRatioTexts(row) : formatInterval(row, format)),
    g: row.g === null ? '\u2013' : formatNumber(row.g, 2),
    p: row.p === null ? '\u2013' : formatP(row.p),
  };
}

export interface EstimateData {
  label: string;
  /** Unit of means and differences. */
  unit: string;
  kind: EffectKind;
  scale: 'linear' | 'log';
  /** Means share one scale. Effects have separate scales if a common scale would hide their intervals. */
  groups: readonly EstimateGroup[];
}

/** Minimum width of each of two plots. Narrower charts have one plot, with the texts above and below it. */
const plotPx = 110;
const gapPx = 16;
const headPx = 22;
const titlePx = 24;
const axisPx = 22;
const rowPx = 24;
const tallRowPx = 64;
/** Height of a value on a separate line. */
const linePx = 15;

/** Describes a figure per panel, a row per treatment: runs, mean with interval, effect relative to the baseline. */
export function describeEstimates(palette: Palette, data: EstimateData, width: number): Figure[] {
  const { label: name, unit, kind, scale, groups } = data;
  const columns = measureColumns(kind, groups);
  const { name: names, runs, figure, effect, p, outcome, gaps } = columns;
  const plot = (width - names - runs - figure - effect - p - outcome - gaps) / (effect > 0 ? 2 : 1);
  const bars = groups.map(({ title, rows }) => ({ title, bars: rows.map(({ bar }) => bar) }));
  const scales = effectScales(kind, groups.map(effectsOf));
  return groups.map((group, i) =>
    describeGroup(palette, {
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
}

function effectsOf({ rows }: EstimateGroup): EffectDatum[] {
  return rows.flatMap(({ effect }) => effect ?? []);
}

/** Widths of the text columns, shared by all groups. The widths for effects are 0 if there are no effects. */
type Columns = Record<'name' | 'runs' | 'figure' | 'effect' | 'p' | 'outcome' | 'gaps', number>;

function measureColumns(kind: EffectKind, groups: readonly EstimateGroup[]): Columns {
  const rows = groups.flatMap((group) => group.rows);
  const texts = groups.flatMap(effectsOf).map((effect) => effectTexts(kind, effect));
  const ofTexts = (all: readonly string[]) => widest(all.map((text) => textWidth(text)));
  const hasEffects = texts.length > 0;
  return {
    name: widest(rows.map(({ bar }) => textWidth(bar.treatment.shortLabel, { weight: 500 }))) + 24,
    runs: widest(rows.map(({ runs }) => squaresWidth(runs) + textWidth(runsText(runs)))),
    figure: widest(rows.map(({ bar }) => estimateWidth(barFigure(bar)))),
    effect: hasEffects ? widest(texts.map((text) => estimateWidth(text))) + timesPx : 0,
    p: hasEffects ? ofTexts([...texts.map(({ p }) => p), 'p (Holm)']) : 0,
    outcome: ofTexts([...rows.map(({ outcome }) => outcome), 'against baseline']),
    gaps: (hasEffects ? 7 : 4) * gapPx,
  };
}

/** Width of the sign before a ratio. */
const timesPx = 8;

interface GroupView {
  label: string;
  kind: EffectKind;
  unit: string;
  group: EstimateGroup;
  columns: Columns & { plot: number };
  axis: Axis;
  effectAxis: EffectAxis | null;
  isWide: boolean;
  /** True if name and value need separate lines. */
  isApart: boolean;
  showsHead: boolean;
  showsAxis: boolean;
}

function describeGroup(palette: Palette, view: GroupView): Figure {
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
  /** Returns the right ends of the text columns. */
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
    const outcomePlace: LabelSpec = {
      x: plot.width,
      y: lastY,
      anchor: 'end',
      fill: isClear ? palette.text : palette.text3,
    };
    const above = middle - height / 2;
    return [
      ...(i > 0 ? [rule({ from: [0, above], to: [plot.width, above], stroke: palette.grid })] : []),
      faded(treatment.isDimmed, [
        dot(palette, treatment.index, { x: 6, y: firstY }),
        label(treatment.shortLabel, {
          x: 18,
          y: firstY,
          weight: 500,
          fill: palette.text,
          halo: palette.surface,
        }),
        ...barMark(
          palette,
          { ...bar, mark: treatment.index },
          { axis, scale: plot.x, at: middle + lift, half: levelHalfPx, level: plot.area },
        ),
        ...estimateText(palette, {
          ...barFigure(bar),
          isPreview: bar.isPreview,
          x: isWide ? ends.figure : plot.width,
          y: firstY + 2 * lift,
        }),
        ...runMarks(palette, runs, {
          x: isWide ? columns.name + gapPx : plot.width - squaresWidth(runs) - textWidth(runsText(runs)),
          y: lastY,
        }),
        ...(isWide
          ? [
              label(outcome, outcomePlace),
              ...(texts
                ? [
                    ...estimateText(palette, { ...texts, x: ends.effect, y: middle }),
                    label(texts.p, { x: ends.p, y: middle, anchor: 'end', fill: palette.text2 }),
                  ]
                : []),
            ]
          : [
              label([texts && `${texts.value} ${texts.interval}`, outcome].filter(Boolean).join(', '), {
                ...outcomePlace,
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
    const panel = makePanel({ palette: palette, area, x: effectAxis, y, xGrid: true, hidesX: !showsAxis });
    const { reference } = effectAxis;
    return [
      ...panel.ground,
      ...(reference === null
        ? []
        : [
            rule({
              from: [panel.x(reference), area.top],
              to: [panel.x(reference), area.bottom],
              stroke: palette.axis,
              width: 1.5,
            }),
          ]),
      ...rows.flatMap(({ bar: { treatment }, effect, isClear }, i) => {
        if (!effect) return [];
        const x = (value: number) => panel.x(effectPosition(kind, value));
        const at = { value: x(effect.value), lo: x(effect.lo), hi: x(effect.hi), y: panel.y(i), isClear };
        return [faded(treatment.isDimmed, effectMark(palette, treatment.index, at))];
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
            `Hedges g ${texts.g}, Holm-adjusted p ${texts.p}`,
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
          ? heads.map(([text, x, anchor]) => label(text, { x, y: 8, anchor, fill: palette.text3 }))
          : []),
        ...(title
          ? [label(title, { x: 0, y: titleY, weight: 600, fill: palette.text, halo: palette.surface })]
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

/** Maximum number of squares. If there are more runs, only the text is shown. */
const maxSquares = 6;
const squarePx = 11;

/** Returns the width of the squares before their words, in px. */
function squaresWidth(runs: readonly boolean[]): number {
  return runs.length > maxSquares ? 0 : runs.length * squarePx + 5;
}

/** Draws one square per run, hatched if flagged, and the counts as text. */
function runMarks(palette: Palette, runs: readonly boolean[], { x, y }: { x: number; y: number }): SvgNode[] {
  const squares = runs.length > maxSquares ? [] : runs;
  return [
    ...squares.flatMap((isFlagged, i) => {
      const left = x + i * squarePx;
      const size = squarePx - 2;
      const area = { left, right: left + size, top: y - size / 2, bottom: y + size / 2 };
      return isFlagged ? hatched(area, palette.text2) : [bar(area, { fill: palette.text2 })];
    }),
    label(runsText(runs), { x: x + squaresWidth(runs), y, fill: palette.text2 }),
  ];
}

/** Minimum width of an interval that is not hidden by its marker. */
const markerFitsPx = 16;

interface EffectPlace {
  value: number;
  lo: number;
  hi: number;
  y: number;
  /** Draws a filled marker. */
  isClear: boolean;
  tip?: string;
}

/** Draws interval and marker. An interval narrower than its marker becomes a bar, crossed at the value. */
function effectMark(
  palette: Palette,
  mark: number,
  { value, lo, hi, y, isClear, tip }: EffectPlace,
): SvgNode[] {
  const stroke = colourOf(palette, mark);
  const solid = solidOf(palette, mark);
  if (hi - lo >= markerFitsPx) {
    const interval = errorBar(stroke, { at: { y }, lo, hi, cap: 4, width: 1.5 });
    return [interval, dot(palette, mark, { x: value, y, isHollow: !isClear, tip })];
  }
  const width = Math.max(2, hi - lo);
  const from = (lo + hi) / 2 - width / 2;
  return [
    bar({ left: from, right: from + width, top: y - 5, bottom: y + 5 }, { fill: solid }, tip),
    errorBar(stroke, { at: { y }, lo: from, hi: from + width, cap: 5, width: 1.5 }),
    rule({ from: [value, y - 8], to: [value, y + 8], stroke, width: 1.5 }),
  ];
}

export interface ForestRow {
  name: string;
  mark: number;
  value: number | null;
  lo: number | null;
  hi: number | null;
  /** Text on the right. */
  text: string;
  /** Whether the value is drawn as a bar from zero. */
  isBar?: boolean;
  /** Another estimate of the same effect, drawn as a hollow diamond. */
  other?: number | null;
}

interface ForestData {
  /** Beginning of the text alternative. */
  label: string;
  /** Written under the axis. */
  unit: string;
  rows: readonly ForestRow[];
}

const forestRowPx = 22;
/** Space for row names. */
const maxNamePx = 300;
/** Space below the last row, in px. */
const forestFootPx = 4;

/** Describes estimates with intervals around a rule at no effect: names on the left, values on the right. */
export function describeForest(palette: Palette, { label: name, unit, rows }: ForestData): Figure {
  const namesPx = Math.max(...rows.map((row) => textWidth(row.name)), 60);
  const left = Math.min(maxNamePx, namesPx + 24);
  const margins = {
    left,
    right: Math.max(...rows.map(({ text }) => textWidth(text)), 40) + 14,
    top: 20,
    bottom: 36,
  };
  const axis = linearAxis(
    rows.flatMap(({ value, lo, hi, other }) => [value ?? 0, lo ?? 0, hi ?? 0, other ?? 0]),
    { zero: true, steps: 6 },
  );
  const drawRow = (row: ForestRow, i: number, { x, y: rowY, area, width }: Plot): SvgNode[] => {
    const { mark, text, value, lo, hi, isBar = false, other = null } = row;
    const y = rowY(i);
    const tip = `${row.name}: ${text}`;
    const estimate = (): SvgNode[] => {
      if (value === null) {
        return [label('no estimate', { x: x(0), y, anchor: 'middle', fill: palette.text3 })];
      }
      if (isBar) {
        return barMark(palette, row, { axis, scale: x, at: y, half: levelHalfPx, level: area, tip });
      }
      if (lo === null || hi === null) return [dot(palette, mark, { x: x(value), y, size: 4, tip })];
      return effectMark(palette, mark, { value: x(value), lo: x(lo), hi: x(hi), y, isClear: true, tip });
    };
    const shown = namesPx + 24 > left ? shorten(row.name, left - 8) : row.name;
    return [
      label(shown, { x: 12, y, fill: palette.text2 }),
      ...estimate(),
      ...(other === null ? [] : [published(palette, { x: x(other), y })]),
      label(text, { x: width - 4, y, anchor: 'end', fill: palette.text }),
    ];
  };
  return {
    label: name,
    heightPx: margins.top + rows.length * forestRowPx + forestFootPx + margins.bottom,
    margins,
    x: axis,
    y: bareAxis(rows.length - 0.5 + forestFootPx / forestRowPx, -0.5),
    ground: { xGrid: true, xLabel: unit },
    hover: { axis: 'y', px: forestRowPx / 2 },
    tips: rows.map(({ name: title, value, text }, y) => ({ x: value ?? 0, y, tip: [title, text] })),
    above: (plot) => {
      const { x, area } = plot;
      return [
        rule({ from: [x(0), area.top], to: [x(0), area.bottom], stroke: palette.text3, dash: '3 3' }),
        ...rows.flatMap((row, i) => drawRow(row, i, plot)),
      ];
    },
  };
}
