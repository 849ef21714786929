import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { type BoxViewProps, boxPoints } from './box-columns.tsx';
import { baseOptions, hiddenScale, linearScale } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { drawFigure, drawPublished, drawText } from './canvas/draw.ts';
import { drawBox } from './canvas/draw-box.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { boxFigure } from './datasets/box-chart-data.ts';
import { dimmedAlpha } from './panels/chart-pick.ts';

const ROW_PX = 41;
const AXIS_PX = 22;
const HEAD_PX = 24;

/** One facet with level boxes: name and figure above each, for phones and for many treatments. */
export function BoxRows(props: BoxViewProps & { showsHead: boolean }): ReactElement {
  const { panel, unit, axis, note, label, showsHead } = props;
  const theme = useChartTheme();
  const head = showsHead ? HEAD_PX : 0;
  const count = panel.boxes.length;
  const config = useMemo<ChartConfiguration<'scatter'>>(
    () => ({
      type: 'scatter',
      data: {
        datasets: [
          {
            data: boxPoints(panel.boxes, unit, true),
            pointRadius: 0,
            pointHoverRadius: 0,
            pointHitRadius: 16,
          },
        ],
      },
      options: baseOptions(
        theme,
        { top: head, right: 4, bottom: 0, left: 9, hover: 'y' },
        {
          x: linearScale(theme, { axis, position: 'bottom', sizePx: AXIS_PX, unit }),
          y: hiddenScale(-0.5, count - 0.5, true),
        },
      ),
    }),
    [panel, unit, axis, theme, head, count],
  );
  const layers = useMemo<ChartLayers>(
    () => ({
      over: (ctx, chart) => {
        const { left, right } = chart.chartArea;
        const x = (value: number) => chart.scales.x?.getPixelForValue(value) ?? 0;
        const y = (i: number) => chart.scales.y?.getPixelForValue(i) ?? 0;
        if (showsHead) {
          const end = drawText(ctx, theme, {
            text: panel.title,
            x: left,
            y: 10,
            weight: 600,
            colour: theme.text,
          });
          drawText(ctx, theme, { text: note, x: left + end + 8, y: 10, colour: theme.tick });
        }
        panel.boxes.forEach((box, i) => {
          const line = y(i) - ROW_PX / 2 + 9;
          const centre = line + 19;
          const { treatment } = box;
          ctx.fillStyle = theme.surface;
          ctx.fillRect(left, line - 8, right - left, 16);
          ctx.globalAlpha = treatment.isDimmed ? dimmedAlpha : 1;
          const name = { text: treatment.shortLabel, x: left, y: line, weight: 500 as const, sizePx: 12 };
          const end = drawText(ctx, theme, { ...name, colour: theme.text });
          if (treatment.detail) {
            drawText(ctx, theme, { text: treatment.detail, x: left + end + 6, y: line, colour: theme.tick });
          }
          const figure = boxFigure(box);
          drawFigure(ctx, theme, {
            value: `${figure.value} ${unit}`,
            interval: figure.interval,
            x: right,
            y: line,
          });
          drawBox(ctx, theme, {
            index: treatment.index,
            p5: x(box.p5),
            p25: x(box.p25),
            p50: x(box.p50),
            p75: x(box.p75),
            p95: x(box.p95),
            mean: x(box.mean),
            centre,
            half: 7,
            isLevel: true,
          });
          if (box.published !== undefined) {
            const at = { x: x(box.published), y: centre };
            const fits = at.x + 36 < right;
            drawPublished(ctx, theme, at);
            drawText(ctx, theme, {
              text: formatNumber(box.published),
              x: at.x + (fits ? 9 : -9),
              y: centre,
              align: fits ? 'left' : 'right',
              colour: theme.text2,
              halo: theme.surface,
            });
          }
          ctx.globalAlpha = 1;
        });
      },
    }),
    [panel, unit, note, theme, showsHead],
  );
  return (
    <CanvasChart config={config} layers={layers} label={label} heightPx={head + count * ROW_PX + AXIS_PX} />
  );
}
