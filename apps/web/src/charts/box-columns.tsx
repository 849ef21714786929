import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { baseOptions, hiddenScale, linearScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import type { ChartTheme } from './canvas/chart-theme.ts';
import { drawLine, drawPublished, drawText } from './canvas/draw.ts';
import { drawBox } from './canvas/draw-box.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { type BoxDatum, type BoxPanel, boxFigure } from './datasets/box-chart-data.ts';
import type { NiceAxis } from './datasets/nice-axis.ts';
import { dimmedAlpha } from './panels/chart-pick.ts';

export type BoxViewProps = { panel: BoxPanel; unit: string; axis: NiceAxis; note: string; label: string };

/** One facet with upright boxes, its figures under the whiskers and names under the axis. */
export function BoxColumns(props: BoxViewProps & { heightPx: number }): ReactElement {
  const { panel, unit, axis, note, label, heightPx } = props;
  const theme = useChartTheme();
  const config = useMemo<ChartConfiguration<'scatter'>>(
    () => ({
      type: 'scatter',
      data: {
        datasets: [
          { data: boxPoints(panel.boxes, unit), pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 18 },
        ],
      },
      options: baseOptions(
        theme,
        { top: panel.title ? 28 : 18, right: 4, bottom: 38, left: 0, hover: 'x' },
        {
          x: hiddenScale(-0.5, panel.boxes.length - 0.5),
          y: linearScale(theme, { axis, position: 'left', sizePx: 30 }),
        },
      ),
    }),
    [panel, unit, axis, theme],
  );
  const layers = useMemo<ChartLayers>(
    () => ({
      over: (ctx, chart) => {
        const { left, right, bottom } = chart.chartArea;
        const x = (i: number) => chart.scales.x?.getPixelForValue(i) ?? 0;
        const y = (value: number) => chart.scales.y?.getPixelForValue(value) ?? 0;
        drawLine(ctx, { from: [left, bottom], to: [right, bottom], colour: theme.axis });
        if (panel.title) {
          const end =
            left +
            drawText(ctx, theme, { text: panel.title, x: left, y: 8, weight: 600, colour: theme.text });
          drawText(ctx, theme, { text: note, x: end + 8, y: 8, colour: theme.tick });
        }
        const spacing = (right - left) / panel.boxes.length;
        panel.boxes.forEach((box, i) => {
          ctx.globalAlpha = box.treatment.isDimmed ? dimmedAlpha : 1;
          drawColumn(ctx, theme, { box, centre: x(i), y, bottom, right, half: Math.min(14, spacing * 0.28) });
        });
        ctx.globalAlpha = 1;
      },
    }),
    [panel, note, theme],
  );
  return <CanvasChart config={config} layers={layers} label={label} heightPx={heightPx} />;
}

type ColumnPlace = {
  box: BoxDatum;
  centre: number;
  half: number;
  y: (value: number) => number;
  bottom: number;
  right: number;
};

function drawColumn(ctx: CanvasRenderingContext2D, theme: ChartTheme, place: ColumnPlace): void {
  const { box, centre, half, y, bottom, right } = place;
  const { treatment } = box;
  drawBox(ctx, theme, {
    index: treatment.index,
    p5: y(box.p5),
    p25: y(box.p25),
    p50: y(box.p50),
    p75: y(box.p75),
    p95: y(box.p95),
    mean: y(box.mean),
    centre,
    half,
    isLevel: false,
  });
  const figure = boxFigure(box);
  const below = y(box.p5) + 11;
  const above = Math.max(8, y(box.p95) - (figure.interval ? 24 : 11));
  const top = below + 18 < bottom ? below : above;
  const common = { x: centre, align: 'center' as const, halo: theme.surface };
  drawText(ctx, theme, { ...common, text: figure.value, y: top, weight: 600, colour: theme.text });
  if (figure.interval)
    drawText(ctx, theme, { ...common, text: figure.interval, y: top + 13, colour: theme.text2 });
  drawText(ctx, theme, {
    text: treatment.shortLabel,
    x: centre,
    y: bottom + 14,
    align: 'center',
    weight: 500,
    colour: theme.text,
  });
  if (treatment.detail) {
    drawText(ctx, theme, {
      text: treatment.detail,
      x: centre,
      y: bottom + 28,
      align: 'center',
      colour: theme.tick,
    });
  }
  if (box.published !== undefined) {
    const at = { x: centre + half + 11, y: y(box.published) };
    const fitsRight = at.x + 34 < right;
    drawPublished(ctx, theme, at);
    drawText(ctx, theme, {
      text: formatNumber(box.published),
      x: at.x + (fitsRight ? 8 : -8),
      y: at.y,
      align: fitsRight ? 'left' : 'right',
      colour: theme.text2,
      halo: theme.surface,
    });
  }
}

/** Invisible points at the medians, which carry the tooltips. */
export function boxPoints(boxes: readonly BoxDatum[], unit: string, isLevel = false): TipPoint[] {
  return boxes.map((box, i) => {
    const figure = boxFigure(box);
    const range = (from: number, to: number) => `${formatNumber(from)} to ${formatNumber(to)} ${unit}`;
    const tip = [
      box.treatment.label,
      `mean ${figure.value} ${unit} ${figure.interval}`,
      `median ${formatNumber(box.p50)} ${unit}`,
      `P25 to P75: ${range(box.p25, box.p75)}`,
      `P5 to P95: ${range(box.p5, box.p95)}`,
      ...(box.published === undefined ? [] : [`published mean ${formatNumber(box.published)} ${unit}`]),
    ];
    const more = box.treatment.id ? { tip, pick: box.treatment.id } : { tip };
    return isLevel ? { x: box.p50, y: i, ...more } : { x: i, y: box.p50, ...more };
  });
}
