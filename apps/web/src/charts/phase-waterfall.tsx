import { bareAxis, rowAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure, Plot } from '@mqttlab/charts/drawing/figure';
import { label, line } from '@mqttlab/charts/drawing/plot';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import type { ReactElement } from 'react';
import { type ChartTheme, treatmentPaint, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure, useWidth } from './canvas/use-figure.ts';
import {
  makeWaterfall,
  measuredQuantities,
  type PhaseCost,
  type PhaseQuantity,
  phaseText,
  type QuantityLook,
  type WaterfallPart,
} from './datasets/waterfall-data.ts';

export type PhaseWaterfallProps = {
  label: string;
  treatmentIndex: number;
  phases: readonly PhaseCost[];
  /** What the bars show; all measured quantities stand at the right, this one strong. */
  quantity: PhaseQuantity;
};

const headPx = 24;
const axisPx = 24;
const columnGap = 20;
/** Below this width only the chosen quantity's column is shown. */
const widePx = 520;
/** The gap of the broken axis, as a share of the drawing's width. */
const breakShare = 0.05;

/** Phases one after another on a broken axis: set-up beside load, each to its own scale. */
export function PhaseWaterfall(props: PhaseWaterfallProps): ReactElement {
  const [ref, width] = useWidth();
  const figure = useFigure(describeWaterfall, { ...props, isWide: width >= widePx });
  return (
    <div ref={ref}>
      <FigureChart figure={figure} />
    </div>
  );
}

/** The quantities at the right: where each column ends, counted from the right edge. */
type Column = { look: QuantityLook; isChosen: boolean; fromRight: number };

function describeWaterfall(theme: ChartTheme, props: PhaseWaterfallProps & { isWide: boolean }): Figure {
  const { label: name, treatmentIndex, phases, quantity, isWide } = props;
  const looks = measuredQuantities(phases);
  const chosen = looks.find((one) => one.key === quantity) ?? looks[0];
  const { parts, bars } = chosen ? makeWaterfall(phases, chosen) : { parts: [], bars: [] };
  const rowPx = isWide ? 32 : 28;
  let right = 0;
  const columns = looks
    .filter((look) => isWide || look === chosen)
    .toReversed()
    .map((look): Column => {
      const texts = [look.head, ...phases.map((phase) => phaseText(phase, look))];
      const fromRight = right;
      right += widest(texts.map((text) => theme.widthOf(text, 600))) + columnGap;
      return { look, isChosen: look === chosen, fromRight };
    });
  const { solid, stroke } = treatmentPaint(theme, treatmentIndex);
  return {
    label: name,
    heightPx: headPx + bars.length * rowPx + axisPx,
    margins: {
      top: headPx,
      bottom: axisPx,
      left: widest(phases.map((phase) => theme.widthOf(phase.name, 500))) + 16,
      right,
    },
    x: bareAxis(0, 1),
    y: rowAxis(bars.length),
    ground: null,
    hover: { axis: 'y', px: 16 },
    tips: bars.map(({ phase, from, to }, y) => ({
      x: partPosition(parts, phase.part, (from + to) / 2),
      y,
      tip: [phase.name, ...looks.map((one) => `${one.head}: ${phaseText(phase, one)}`)],
    })),
    above: (plot) => {
      const row = (text: (look: QuantityLook) => string, y: number, fill: string) =>
        columns.map(({ look, isChosen, fromRight }) =>
          label(text(look), {
            x: plot.width - fromRight,
            y,
            anchor: 'end',
            weight: isChosen ? 600 : 400,
            fill: isChosen ? theme.text : fill,
          }),
        );
      const drawn = bars.flatMap(({ phase, from, to }, i): SvgNode[] => {
        const y = plot.y(i);
        const x = (value: number) => plot.x(partPosition(parts, phase.part, value));
        const width = Math.max(2, x(to) - x(from));
        const bar = {
          x: x(from),
          y: y - 7,
          width,
          height: 14,
          rx: 1,
          fill: solid,
          stroke,
          strokeWidth: 1.25,
        };
        return [
          ...(i > 0 ? [across(plot, y - rowPx / 2, theme.grid)] : []),
          label(phase.name, { x: 0, y, weight: 500, fill: theme.text }),
          ...row((look) => phaseText(phase, look), y, theme.text2),
          ...(to > from ? [el('rect', bar)] : []),
        ];
      });
      return [
        ...drawAxes(theme, plot, parts),
        ...drawn,
        label('Phase', { x: 0, y: 8, fill: theme.text3 }),
        ...row(({ head }) => head, 8, theme.text3),
      ];
    },
  };
}

/** Where a value of one part lies on the whole broken axis, 0 to 1. */
function partPosition(parts: readonly WaterfallPart[], name: WaterfallPart['name'], value: number): number {
  const i = Math.max(
    0,
    parts.findIndex((part) => part.name === name),
  );
  const part = parts[i];
  if (!part) return 0;
  const width = parts.length > 1 ? (1 - breakShare) / 2 : 1;
  return i * (width + breakShare) + (value / part.axis.max) * width;
}

function across({ width }: Plot, y: number, stroke: string): SvgNode {
  return line({ from: [0, y], to: [width, y], stroke });
}

function drawAxes(theme: ChartTheme, plot: Plot, parts: readonly WaterfallPart[]): SvgNode[] {
  const { top, bottom } = plot.area;
  const axes = parts.flatMap(({ name, unit, axis }) => {
    const x = (value: number) => plot.x(partPosition(parts, name, value));
    return [
      label(`${name}, ${unit}`, { x: x(0), y: 8, fill: theme.text3 }),
      ...axis.ticks.flatMap((tick) => [
        line({ from: [x(tick), top], to: [x(tick), bottom], stroke: tick === 0 ? theme.axis : theme.grid }),
        label(axis.format(tick), {
          x: x(tick),
          y: bottom + 12,
          anchor: tick === 0 ? 'start' : tick === axis.max ? 'end' : 'middle',
          fill: theme.text3,
        }),
      ]),
    ];
  });
  const edges = [top, bottom].map((y) => across(plot, y, theme.axis));
  const gap = (1 - breakShare) / 2 + breakShare / 2;
  return [...axes, ...edges, ...(parts.length > 1 ? drawBreak(theme, plot, plot.x(gap)) : [])];
}

function drawBreak(theme: ChartTheme, { area }: Plot, at: number): SvgNode[] {
  return [area.top, area.bottom].flatMap((y) => [
    el('rect', { x: at - 4, y: y - 3, width: 8, height: 6, fill: theme.surface }),
    ...[at - 3, at + 2].map((x) => line({ from: [x - 1, y + 5], to: [x + 2, y - 5], stroke: theme.text3 })),
  ]);
}
