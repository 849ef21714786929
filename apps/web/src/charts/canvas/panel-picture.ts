import type { Figure } from '@mqttlab/charts/drawing/figure';
import { alternativeOf, figureLayers } from '@mqttlab/charts/drawing/figure';
import { el, type Picture } from '@mqttlab/charts/drawing/svg';
import { createContext } from 'react';
import type { ChartTheme } from './chart-theme.ts';

/** The canvases inside one figure panel with their figures, for the panel's downloads. */
export type ChartHosts = Map<HTMLCanvasElement, () => Figure>;

export const ChartHostsContext = createContext<ChartHosts | null>(null);

/** Combines the figures of a panel into one picture, each at its position on the page. */
export function panelPicture(hosts: ChartHosts, body: HTMLElement, theme: ChartTheme): Picture {
  const frame = body.getBoundingClientRect();
  const figures = [...hosts].map(([canvas, figureOf]) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const figure = figureOf();
    const { below, lines, above } = figureLayers(figure, theme, { width, height });
    const transform = `translate(${left - frame.left} ${top - frame.top})`;
    return { label: alternativeOf(figure), node: el('g', { transform }, [...below, ...lines, ...above]) };
  });
  return {
    width: frame.width,
    height: frame.height,
    label: figures.map(({ label }) => label).join('; '),
    nodes: figures.map(({ node }) => node),
  };
}
