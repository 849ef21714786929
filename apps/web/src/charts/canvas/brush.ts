import { bar, rule } from '@mqttlab/charts/drawing/marks';
import { createContext, type RefObject, useEffect, useRef } from 'react';
import type { FigureChartInstance } from './chart-config.ts';
import type { ChartTheme } from './chart-theme.ts';
import { paintNodes } from './paint-nodes.ts';

/** Called with the treatment that was clicked; null if charts are read-only. */
export const ChartPickContext = createContext<((treatmentId: string) => void) | null>(null);

/** Start and end of the selection on the x axis, in the unit of the axis. */
export type BrushRange = readonly [number, number];

/** A range on the x axis, selected by dragging across a chart. */
export type Brush = {
  range: BrushRange | null;
  /** Called while dragging, so that charts that share the brush follow. */
  onMove(range: BrushRange | null): void;
  /** Called at the end of the drag; null if it was cancelled. */
  onDone(range: BrushRange | null): void;
};

/** Movement in px below which a drag counts as a click. */
const minPx = 4;

/** Lets a drag across the plot select a range; Escape cancels the drag. A click still selects a treatment. */
export function useBrush(
  canvas: RefObject<HTMLCanvasElement | null>,
  chart: RefObject<FigureChartInstance | null>,
  brush: Brush | undefined,
): void {
  const latest = useRef(brush);
  latest.current = brush;
  const isOn = brush !== undefined;
  useEffect(() => {
    const shown = canvas.current;
    if (!shown || !isOn) return;
    const ended = new AbortController();
    const { signal } = ended;
    let from: { px: number; before: BrushRange | null } | null = null;
    let range: BrushRange | null = null;
    let hasDragged = false;
    const between = (a: number, b: number): BrushRange | null => {
      const { chartArea, scales } = chart.current ?? {};
      if (!chartArea || !scales?.x) return null;
      const [lo, hi] = [Math.min(a, b), Math.max(a, b)].map((px) =>
        Math.min(chartArea.right, Math.max(chartArea.left, px)),
      );
      const at = (px: number | undefined) => scales.x?.getValueForPixel(px ?? 0) ?? 0;
      return [at(lo), at(hi)];
    };
    const forget = () => {
      from = null;
      range = null;
    };
    const down = (event: PointerEvent) => {
      hasDragged = false;
      if (event.button === 0) from = { px: event.offsetX, before: latest.current?.range ?? null };
    };
    const move = (event: PointerEvent) => {
      if (!from || (!range && Math.abs(event.offsetX - from.px) < minPx)) return;
      shown.setPointerCapture(event.pointerId);
      range = between(from.px, event.offsetX);
      latest.current?.onMove(range);
    };
    const up = () => {
      hasDragged = range !== null;
      if (range) latest.current?.onDone(range);
      forget();
    };
    // The click event that ends a drag does not select a treatment.
    const click = (event: MouseEvent) => hasDragged && event.stopImmediatePropagation();
    const cancel = () => {
      if (range) latest.current?.onMove(from?.before ?? null);
      forget();
    };
    shown.addEventListener('pointerdown', down, { signal });
    shown.addEventListener('pointermove', move, { signal });
    shown.addEventListener('pointerup', up, { signal });
    shown.addEventListener('click', click, { signal, capture: true });
    shown.addEventListener('pointercancel', cancel, { signal });
    window.addEventListener('keydown', (event) => event.key === 'Escape' && cancel(), { signal });
    return () => ended.abort();
  }, [canvas, chart, isOn]);
}

/** Dims the plot outside the selected range. */
export function drawBrush(chart: FigureChartInstance, theme: ChartTheme, [from, to]: BrushRange): void {
  const { left, right, top, bottom } = chart.chartArea;
  const inside = (value: number) =>
    Math.min(right, Math.max(left, chart.scales.x?.getPixelForValue(value) ?? left));
  const [lo, hi] = [inside(from), inside(to)];
  const veil = { fill: theme.surface, fillOpacity: 0.62 };
  const nodes = [
    bar({ left, right: lo, top, bottom }, veil),
    bar({ left: hi, right, top, bottom }, veil),
    ...[lo, hi].map((x) => rule({ from: [x, top], to: [x, bottom], stroke: theme.text })),
  ];
  paintNodes(chart.ctx, nodes, theme.fontSans);
}
