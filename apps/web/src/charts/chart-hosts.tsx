import { createContext, type RefObject, use, useEffect, useRef } from 'react';

/** Redraws the canvas at this pixel ratio: 2 for a picture, the screen's own afterwards. */
export type RenderAt = (pixelRatio: number) => void;

/** The canvases inside one ChartPanel, kept by the panel for its PNG download. */
export type ChartHosts = Map<HTMLCanvasElement, RenderAt>;

export const ChartHostsContext = createContext<ChartHosts | null>(null);

/** Lets the panel around this canvas export it. */
export function useChartHost(canvas: RefObject<HTMLCanvasElement | null>, renderAt: RenderAt): void {
  const hosts = use(ChartHostsContext);
  const latest = useRef(renderAt);
  latest.current = renderAt;
  useEffect(() => {
    const element = canvas.current;
    if (!element || !hosts) return;
    hosts.set(element, (pixelRatio) => latest.current(pixelRatio));
    return () => {
      hosts.delete(element);
    };
  }, [canvas, hosts]);
}
