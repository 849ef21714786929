import { type Axis, bareAxis } from './axis.ts';
import { legend, makePanel, type Panel } from './plot.ts';
import { rowNames } from './row-names.ts';
import type { Picture, SvgNode } from './svg.ts';
import { type FigureContext, figureWidth } from './treatments.ts';

export interface OnePanelSpec {
  label: string;
  /** Named above the panel; by default the colours of the report. */
  keys?: FigureContext['colours'];
  heightPx: number;
  /** Room for the names of the y ticks. */
  left?: number;
  x: Axis;
  y: Axis;
  xLabel?: string;
  yLabel: string;
}

type Context = Pick<FigureContext, 'palette' | 'colours'>;

/** A figure of one panel under its key. */
export function drawOnePanel(
  { palette, colours }: Context,
  spec: OnePanelSpec,
  draw: (panel: Panel) => readonly SvgNode[],
): Picture {
  const { label, heightPx, left = 50, keys: named = colours, ...axes } = spec;
  const keys = legend(palette, named, { left, top: 0, right: figureWidth });
  const top = keys.height + 22;
  const area = { left, right: figureWidth - 8, top, bottom: top + heightPx };
  const panel = makePanel({ palette, area, ...axes });
  const nodes = [...keys.nodes, ...panel.ground, ...draw(panel)];
  return { width: figureWidth, height: area.bottom + 38, label, nodes };
}

export interface Groups {
  /** x of a treatment's centre, by its row and its colour. */
  placeOf(treatment: GroupPlace): number;
  /** px from one colour to the next. */
  room: number;
}

export interface GroupPlace {
  rowLabel: string;
  colourLabel: string;
}

/** The rows side by side with their names below: each treatment has its place by its row and its colour. */
export function drawGroups(
  context: FigureContext,
  spec: Omit<OnePanelSpec, 'x' | 'keys' | 'left'> & { maxRoom: number; share?: number },
  draw: (panel: Panel, groups: Groups) => readonly SvgNode[],
): Picture {
  const { rows, colours } = context;
  const { maxRoom, share = 0.8, ...rest } = spec;
  let names = { nodes: [] as SvgNode[], height: 0 };
  let bottom = 0;
  const picture = drawOnePanel(context, { ...rest, x: bareAxis(-0.5, rows.length - 0.5) }, (panel) => {
    const { area } = panel;
    const room = Math.min(maxRoom, ((panel.x(1) - panel.x(0)) * share) / colours.length);
    const placeOf = ({ rowLabel, colourLabel }: GroupPlace) => {
      const place = colours.findIndex(({ text }) => text === colourLabel);
      return panel.x(rows.indexOf(rowLabel)) + (place - (colours.length - 1) / 2) * room;
    };
    names = rowNames(context, area);
    bottom = area.bottom;
    return [...draw(panel, { placeOf, room }), ...names.nodes];
  });
  return { ...picture, height: bottom + names.height };
}
