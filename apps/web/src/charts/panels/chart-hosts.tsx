import type { SvgNode } from '@mqttlab/shared/figures/drawing/svg';
import { createContext, type RefObject, use, useEffect, useRef } from 'react';

/** What a canvas does for the files of its panel. */
export interface ChartHost {
  /** Redraws at this pixel ratio: 2 for a picture, the screen's own afterwards. */
  renderAt(pixelRatio: number): void;
  /** The same drawing as SVG. */
  record(): SvgNode[];
}

/** The canvases inside one ChartPanel, kept by the panel for its downloads. */
export type ChartHosts = Map<HTMLCanvasElement, ChartHost>;

export const ChartHostsContext = createContext<ChartHosts | null>(null);

/** Lets the panel around this canvas export it. */
export function useChartHost(canvas: RefObject<HTMLCanvasElement | null>, host: ChartHost): void {
  const hosts = use(ChartHostsContext);
  const latest = useRef(host);
  latest.current = host;
  useEffect(() => {
    const element = canvas.current;
    if (!element || !hosts) return;
    hosts.set(element, {
      renderAt: (pixelRatio) => latest.current.renderAt(pixelRatio),
      record: () => latest.current.record(),
    });
    return () => {
      hosts.delete(element);
    };
  }, [canvas, hosts]);
}
