import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { baseOptions, hiddenScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { drawFigure, drawLine, drawMarker, drawText } from './canvas/draw.ts';
import { drawEffect } from './canvas/draw-effect.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import {
  type EffectGroup,
  type EffectKind,
  effectPosition,
  effectScale,
  effectTexts,
} from './datasets/effect-data.ts';
import { dimmedAlpha } from './panels/chart-pick.ts';

/** Widths of the text columns, shared by all groups. */
export type EffectColumns = { name: number; figure: number; g: number; p: number };

type EffectGroupChartProps = {
  label: string;
  kind: EffectKind;
  unit: string;
  group: EffectGroup;
  columns: EffectColumns;
  isWide: boolean;
  showsHead: boolean;
};

const HEAD_PX = 22;
const TITLE_PX = 22;
const AXIS_PX = 22;
const GAP = 16;

export function EffectGroupChart(props: EffectGroupChartProps): ReactElement {
  const { label, kind, unit, group, columns, isWide, showsHead } = props;
  const theme = useChartTheme();
  const rowPx = isWide ? 24 : 40;
  const head = showsHead ? HEAD_PX : 0;
  const title = group.title ? TITLE_PX : 0;
  const count = group.rows.length;
  const scale = useMemo(() => effectScale(kind, group.rows), [kind, group]);
  const right = isWide ? columns.figure + columns.g + columns.p + 3 * GAP : 4;
  const left = isWide ? columns.name : 4;

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const data = group.rows.map((row, i): TipPoint => {
      const { value, interval, g, p } = effectTexts(kind, row);
      const tip = [row.treatment.label, `${kind} ${value} ${unit} ${interval}`, `Hedges g ${g}, p ${p}`];
      const { id } = row.treatment;
      return { x: effectPosition(kind, row.value), y: i, tip, ...(id ? { pick: id } : {}) };
    });
    return {
      type: 'scatter',
      data: { datasets: [{ data, pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 12 }] },
      options: baseOptions(
        theme,
        { top: head + title, bottom: AXIS_PX, left, right, hover: 'y' },
        { x: hiddenScale(scale.min, scale.max), y: hiddenScale(-0.5, count - 0.5, true) },
      ),
    };
  }, [group, kind, unit, scale, theme, left, right, head, title, count]);

  const layers = useMemo<ChartLayers>(
    () => ({
      over: (ctx, chart) => {
        const { left: x0, right: x1, top, bottom } = chart.chartArea;
        const x = (at: number) => chart.scales.x?.getPixelForValue(at) ?? 0;
        const pEnd = chart.width;
        const gEnd = pEnd - columns.p - GAP;
        const figureEnd = isWide ? gEnd - columns.g - GAP : pEnd;
        const dim = { colour: theme.tick, align: 'right' as const };
        if (showsHead) {
          const name = kind === 'ratio' ? 'ratio [95 % CI]' : `difference, ${unit} [95 % CI]`;
          drawText(ctx, theme, { ...dim, text: name, x: figureEnd, y: 8 });
          if (isWide) drawText(ctx, theme, { ...dim, text: 'g', x: gEnd, y: 8 });
          if (isWide) drawText(ctx, theme, { ...dim, text: 'p', x: pEnd, y: 8 });
        }
        if (title) {
          const y = top - title / 2;
          const end = drawText(ctx, theme, { text: group.title, x: 0, y, weight: 600, colour: theme.text });
          const note = scale.reference === null ? 'own scale; no effect lies outside it' : 'own scale';
          drawText(ctx, theme, { text: note, x: end + 8, y, colour: theme.tick });
        }
        for (const tick of scale.ticks) {
          const isReference = scale.reference !== null && Math.abs(tick.at - scale.reference) < 1e-9;
          if (isReference) continue;
          drawLine(ctx, { from: [x(tick.at), top], to: [x(tick.at), bottom], colour: theme.grid });
        }
        for (const tick of spacedTicks(scale.ticks, x)) {
          const align = x(tick.at) > chart.width - 16 ? 'right' : 'center';
          drawText(ctx, theme, { text: tick.text, x: x(tick.at), y: bottom + 11, align, colour: theme.tick });
        }
        if (scale.reference !== null) {
          const at = x(scale.reference);
          drawLine(ctx, { from: [at, top], to: [at, bottom], colour: theme.axis, width: 1.5 });
        }
        group.rows.forEach((row, i) => {
          const y = chart.scales.y?.getPixelForValue(i) ?? 0;
          const texts = effectTexts(kind, row);
          const line = isWide ? y : y - 11;
          if (i > 0)
            drawLine(ctx, { from: [0, y - rowPx / 2], to: [chart.width, y - rowPx / 2], colour: theme.grid });
          ctx.globalAlpha = row.treatment.isDimmed ? dimmedAlpha : 1;
          drawMarker(ctx, theme, { index: row.treatment.index, x: 6, y: line });
          const name = {
            text: row.treatment.shortLabel,
            x: 18,
            y: line,
            weight: 500 as const,
            halo: theme.surface,
          };
          drawText(ctx, theme, { ...name, colour: theme.text });
          drawFigure(ctx, theme, { ...texts, x: figureEnd, y: line });
          if (isWide)
            drawText(ctx, theme, { text: texts.g, x: gEnd, y, align: 'right', colour: theme.text2 });
          if (isWide)
            drawText(ctx, theme, { text: texts.p, x: pEnd, y, align: 'right', colour: theme.text2 });
          drawEffect(ctx, theme, {
            index: row.treatment.index,
            value: x(effectPosition(kind, row.value)),
            lo: x(effectPosition(kind, row.lo)),
            hi: x(effectPosition(kind, row.hi)),
            y: isWide ? y : y + 8,
            ...(row.published === undefined
              ? {}
              : {
                  published: x(effectPosition(kind, row.published)),
                  publishedText: publishedText(kind, row.published),
                }),
            range: [x0, x1],
          });
          ctx.globalAlpha = 1;
        });
      },
    }),
    [group, kind, unit, scale, theme, columns, isWide, showsHead, title, rowPx],
  );
  return (
    <CanvasChart
      config={config}
      layers={layers}
      label={label}
      heightPx={head + title + count * rowPx + AXIS_PX}
    />
  );
}

/** Names of ticks that would touch the one before are left out. */
function spacedTicks<Tick extends { at: number; text: string }>(
  ticks: readonly Tick[],
  x: (at: number) => number,
): Tick[] {
  let end = Number.NEGATIVE_INFINITY;
  return ticks.filter(({ at, text }) => {
    const half = text.length * 3.4;
    if (x(at) - half < end + 4) return false;
    end = x(at) + half;
    return true;
  });
}

function publishedText(kind: EffectKind, value: number): string {
  const text = String(Number(value.toPrecision(3)));
  return kind === 'ratio' ? `\u00d7${text}` : text;
}
