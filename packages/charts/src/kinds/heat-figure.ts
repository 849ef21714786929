import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { formatFixed } from '@mqttlab/shared/format/number';
import { label, line } from '../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { shorten, textWidth } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth } from '../drawing/treatments.ts';

const cellHeight = 24;
/** Effects beyond are drawn as strong as this: twice what is called large. */
const fullAt = 4;
const scaleSteps = [-4, -3, -2, -1, 0, 1, 2, 3, 4];

/** A number with sign and dot has room in it. */
const minCellWidth = 48;
const headHeight = 44;
const bandGap = 18;

/**
 * Hedges g of every contrast on several metrics; a dot marks those that are resolved. More treatments than have
 * room beside each other go into bands below one another.
 */
export function drawEffectSizes(context: FigureContext, responses: readonly ReportResponse[]): Picture {
  const columns = responses[0]?.contrasts.map(({ treatment }) => treatment) ?? [];
  const left = Math.max(...responses.map(({ label: name }) => textWidth(name)), 60) * 1.1 + 12;
  const room = figureWidth - left;
  const bands = Math.max(1, Math.ceil((columns.length * minCellWidth) / room));
  const perBand = Math.max(1, Math.ceil(columns.length / bands));
  const width = room / perBand;
  const bandHeight = headHeight + responses.length * cellHeight + bandGap;
  const nodes = Array.from({ length: bands }, (_, band) =>
    drawBand(context, responses, {
      left,
      width,
      top: band * bandHeight,
      columns: columns.slice(band * perBand, (band + 1) * perBand),
    }),
  ).flat();
  const bottom = bands * bandHeight - bandGap;
  nodes.push(...scale(context, { left, top: bottom + 14 }));
  return {
    width: figureWidth,
    height: bottom + 50,
    label: 'Effect sizes, Hedges g, by metric and contrast',
    nodes,
  };
}

interface Band {
  columns: readonly string[];
  left: number;
  /** Of a cell. */
  width: number;
  top: number;
}

function drawBand(context: FigureContext, responses: readonly ReportResponse[], band: Band): SvgNode[] {
  const { palette } = context;
  const { columns, left, width, top } = band;
  const nodes = heads(context, band);
  responses.forEach((response, index) => {
    const y = top + headHeight + index * cellHeight;
    nodes.push(
      label(response.label, { x: left - 8, y: y + cellHeight / 2, anchor: 'end', fill: palette.text2 }),
    );
    columns.forEach((key, place) => {
      const contrast = response.contrasts.find(({ treatment }) => treatment === key);
      const g = contrast?.hedgesG ?? null;
      const x = left + place * width;
      const isResolved = contrast?.outcome === 'resolved';
      nodes.push(
        el('rect', { x: x + 1, y: y + 1, width: width - 2, height: cellHeight - 2, ...paint(context, g) }),
        label(`${g === null ? '–' : effectText(g)}${isResolved ? ' •' : ''}`, {
          x: x + width / 2,
          y: y + cellHeight / 2,
          anchor: 'middle',
          fill: palette.text,
          ...(isResolved ? { weight: 600 } : {}),
        }),
      );
    });
  });
  return nodes;
}

function paint({ palette }: FigureContext, g: number | null) {
  if (g === null) return { fill: 'none' };
  const share = Math.min(1, Math.abs(g) / fullAt);
  return { fill: g < 0 ? palette.low : palette.high, fillOpacity: 0.06 + 0.6 * share };
}

/** A colour once over its columns, the rows below it. */
function heads({ palette, find }: FigureContext, { columns, left, width, top }: Band): SvgNode[] {
  const nodes: SvgNode[] = [];
  let from = 0;
  columns.forEach((key, index) => {
    const { colourLabel, rowLabel } = find(key);
    const centre = left + (index + 0.5) * width;
    nodes.push(
      label(shorten(rowLabel, width), { x: centre, y: top + 30, anchor: 'middle', fill: palette.text2 }),
    );
    const next = columns[index + 1];
    if (next !== undefined && find(next).colourLabel === colourLabel) return;
    const [start, end] = [left + from * width, left + (index + 1) * width];
    const name = shorten(colourLabel, end - start);
    nodes.push(
      label(name, { x: (start + end) / 2, y: top + 10, anchor: 'middle', fill: palette.text, weight: 600 }),
      line({ from: [start + 3, top + 20], to: [end - 3, top + 20], stroke: palette.axis }),
    );
    from = index + 1;
  });
  return nodes;
}

/** What the colours mean. */
function scale(context: FigureContext, { left, top }: { left: number; top: number }): SvgNode[] {
  const { palette } = context;
  const words = 'blue: less than the baseline; orange: more';
  const room = figureWidth - left - 12 - textWidth(words) * 1.05;
  const [width, height] = [Math.min(30, room / scaleSteps.length), 11];
  const swatches = scaleSteps.flatMap((g, index) => {
    const x = left + index * width;
    const isEnd = Math.abs(g) === fullAt;
    const text = `${isEnd ? (g < 0 ? '≤ ' : '≥ ') : ''}${g < 0 ? '−' : ''}${Math.abs(g)}`;
    return [
      el('rect', { x, y: top, width: width - 1, height, ...paint(context, g) }),
      ...(g % 2 === 0
        ? [label(text, { x: x + width / 2, y: top + 21, anchor: 'middle', fill: palette.text3 })]
        : []),
    ];
  });
  return [
    label('Hedges’ g', { x: left - 8, y: top + height / 2, anchor: 'end', fill: palette.text3 }),
    ...swatches,
    label(words, { x: left + scaleSteps.length * width + 12, y: top + height / 2, fill: palette.text3 }),
  ];
}

/** Beyond a hundred spreads the size says only that there is hardly any spread. */
function effectText(g: number): string {
  if (Math.abs(g) > 100) return g < 0 ? '< −100' : '> 100';
  return formatFixed(g, Math.abs(g) < 9.95 ? 2 : 1);
}
