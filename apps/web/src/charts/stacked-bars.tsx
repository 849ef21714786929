import { rowAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure } from '@mqttlab/charts/drawing/figure';
import { label } from '@mqttlab/charts/drawing/plot';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { phaseStyles } from '@mqttlab/charts/kinds/phases-figure';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import type { ReactElement } from 'react';
import { type ChartTheme, treatmentPaint, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure } from './canvas/use-figure.ts';
import { type StackedBars as Data, stackedAxis, totalOf } from './datasets/stacked-bars-data.ts';

export type StackedBarsProps = {
  label: string;
  unit: string;
  /** Of the treatment that all bars are of; without it each bar is one, under its name, and the parts are phases. */
  treatmentIndex?: number;
  data: Data;
};

const rowPx = 30;
/** With the name above the bar. */
const namedRowPx = 44;
const axisPx = 22;
const keyPx = 26;

/** Level bars from zero in up to three parts: strong, tinted, outlined; the sum at the right. */
export function StackedBars(props: StackedBarsProps): ReactElement {
  return <FigureChart figure={useFigure(describeStacks, props)} />;
}

function describeStacks(
  theme: ChartTheme,
  { label: name, unit, treatmentIndex, data }: StackedBarsProps,
): Figure {
  const isOfPhases = treatmentIndex === undefined;
  const own = treatmentPaint(theme, treatmentIndex ?? 1);
  const paints = isOfPhases
    ? phaseStyles.map((style) => treatmentPaint(theme, style)).map(({ solid, stroke }) => [solid, stroke])
    : [own.solid, own.fill, theme.surface].map((fill) => [fill, own.stroke]);
  const box = (part: number, place: { x: number; y: number; width: number; height: number }) => {
    const [fill, stroke] = paints[part % paints.length] ?? [];
    return el('rect', { ...place, fill, stroke, strokeWidth: 1.25 });
  };
  const sumOf = (bar: Data['bars'][number]) => formatQuantity(totalOf(bar), unit);
  const left = isOfPhases ? 2 : widest(data.bars.map((bar) => theme.widthOf(bar.name, 500))) + 12;
  return {
    label: name,
    heightPx: keyPx + data.bars.length * (isOfPhases ? namedRowPx : rowPx) + axisPx,
    margins: {
      top: keyPx,
      bottom: axisPx,
      left,
      right: widest(data.bars.map((bar) => theme.widthOf(sumOf(bar), 600))) + 14,
    },
    x: stackedAxis(data),
    y: rowAxis(data.bars.length),
    ground: { xGrid: true, xUnit: unit },
    hover: { axis: 'y', px: 14 },
    tips: data.bars.map((bar, y) => {
      const parts = data.parts.map((part, k) => `${part}: ${formatQuantity(bar.parts[k] ?? 0, unit)}`);
      return { x: totalOf(bar) / 2, y, tip: [bar.name, ...parts] };
    }),
    above: (plot) => {
      let keyX = left;
      const keys = data.parts.flatMap((part, i): SvgNode[] => {
        const x = keyX;
        keyX += 34 + theme.widthOf(part);
        return [
          box(i, { x: x + 1, y: 4, width: 12, height: 10 }),
          label(part, { x: x + 18, y: 9, fill: theme.text2 }),
        ];
      });
      const bars = data.bars.flatMap((bar, i): SvgNode[] => {
        const y = plot.y(i) + (isOfPhases ? 8 : 0);
        let from = 0;
        const parts = bar.parts.flatMap((value, part) => {
          const x = plot.x(from);
          from += value;
          return value > 0 ? [box(part, { x, y: y - 9, width: plot.x(from) - x, height: 18 })] : [];
        });
        return [
          label(bar.name, {
            x: isOfPhases ? left + 5 : 0,
            y: isOfPhases ? y - 19 : y,
            weight: 500,
            fill: theme.text,
          }),
          ...parts,
          label(sumOf(bar), { x: plot.width, y, anchor: 'end', weight: 600, fill: theme.text }),
        ];
      });
      return [...keys, ...bars];
    },
  };
}
