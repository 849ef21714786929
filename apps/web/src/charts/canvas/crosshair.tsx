import { rule } from '@mqttlab/charts/drawing/marks';
import type { Palette } from '@mqttlab/charts/drawing/palette';
import {
  createContext,
  type ReactElement,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useState,
} from 'react';
import type { FigureChartInstance } from './chart-config.ts';
import { paintNodes } from './paint-nodes.ts';

/** The position of the pointer on the x axis that several charts share. */
class Crosshair {
  x: number | null = null;
  readonly #charts = new Set<() => void>();

  move(x: number | null): void {
    if (x === this.x) return;
    this.x = x;
    for (const draw of this.#charts) draw();
  }

  /** Returns a function that removes the chart. */
  add(draw: () => void): () => void {
    this.#charts.add(draw);
    return () => {
      this.#charts.delete(draw);
    };
  }
}

const CrosshairContext = createContext<Crosshair | null>(null);

/**
 * Draws one crosshair in all charts inside: a line at the position of the pointer, which may be on any of the
 * charts. The charts need the same x axis.
 */
export function SharedCrosshair({ children }: { children: ReactNode }): ReactElement {
  const [crosshair] = useState(() => new Crosshair());
  return <CrosshairContext value={crosshair}>{children}</CrosshairContext>;
}

/**
 * Reports the pointer position on this chart, and redraws the chart when the crosshair moves. Returns the
 * crosshair, if any.
 */
export function useCrosshair(
  canvas: RefObject<HTMLCanvasElement | null>,
  chart: RefObject<FigureChartInstance | null>,
): Crosshair | null {
  const crosshair = use(CrosshairContext);
  useEffect(() => {
    const element = canvas.current;
    if (!crosshair || !element) return;
    const move = ({ offsetX }: PointerEvent) => {
      const { chartArea, scales } = chart.current ?? {};
      if (!chartArea || !scales?.x) return;
      const isInside = offsetX >= chartArea.left && offsetX <= chartArea.right;
      crosshair.move(isInside ? (scales.x.getValueForPixel(offsetX) ?? null) : null);
    };
    const leave = () => crosshair.move(null);
    const remove = crosshair.add(() => chart.current?.draw());
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerleave', leave);
    return () => {
      remove();
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerleave', leave);
    };
  }, [crosshair, canvas, chart]);
  return crosshair;
}

/** Draws the crosshair on a chart whose x axis includes it. */
export function drawCrosshair(
  { ctx, chartArea, scales }: FigureChartInstance,
  theme: Palette & { fontSans: string },
  x: number,
): void {
  const px = scales.x?.getPixelForValue(x);
  if (px === undefined || px < chartArea.left || px > chartArea.right) return;
  const line = rule({ from: [px, chartArea.top], to: [px, chartArea.bottom], stroke: theme.text3 });
  paintNodes(ctx, [line], theme.fontSans);
}
