import { type Figure, figureLayers } from '@mqttlab/charts/drawing/figure';
import { el, type Picture, type SvgNode, toSvgText } from '@mqttlab/charts/drawing/svg';
import { textWidth, wrapText } from '@mqttlab/charts/drawing/text-width';
import type { ChartTheme } from './chart-theme.ts';
import { type ChartHosts, columnWidthMm, pngOf } from './download.ts';
import { paintNodes } from './paint-nodes.ts';

export type ChartExport = {
  title: string;
  subtitle: string;
  hosts: ChartHosts;
  body: HTMLElement;
  theme: ChartTheme;
};

const margin = 16;
/** Above the figures: the title, and each line of the subtitle. */
const titlePx = 28;
const linePx = 16;
/** Pixels of a picture for each CSS pixel. */
const pngScale = 2;

type Place = { left: number; top: number; width: number; height: number };

/** The panel's figures where they stand, in one drawing under their title and subtitle. */
function layOut({ title, subtitle, hosts, body, theme }: ChartExport) {
  const frame = body.getBoundingClientRect();
  // Letters of 12 px on the width for those of 11.
  const lines = wrapText(subtitle, (frame.width * 11) / 12);
  const head = titlePx + lines.length * linePx;
  const picture: Picture = {
    width: frame.width + 2 * margin,
    height: frame.height + head + 2 * margin,
    label: title,
    nodes: [
      el('rect', {
        x: 0,
        y: 0,
        width: frame.width + 2 * margin,
        height: frame.height + head + 2 * margin,
        fill: theme.surface,
      }),
      el('text', { x: margin, y: margin + 12, fontSize: 14, fontWeight: 600, fill: theme.text }, [title]),
      ...lines.map((line, i) =>
        el('text', { x: margin, y: margin + 30 + i * linePx, fontSize: 12, fill: theme.text3 }, [line]),
      ),
    ],
  };
  const figures = [...hosts].map(([canvas, figureOf]) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const place = { left: left - frame.left + margin, top: top - frame.top + head + margin, width, height };
    return { place, nodes: nodesOf(figureOf(), theme, place) };
  });
  return { picture, figures };
}

function nodesOf(figure: Figure, theme: ChartTheme, size: Place): SvgNode[] {
  const { below, lines, above } = figureLayers(figure, theme, size);
  return [...below, ...lines, ...above];
}

/** At the width of a printed page. */
export function renderSvg(request: ChartExport): Blob {
  const { picture, figures } = layOut(request);
  const placed = figures.map(({ place: { left, top }, nodes }) =>
    el(
      'g',
      { transform: `translate(${left} ${top})` },
      nodes.map((node) => withTextLength(node)),
    ),
  );
  const text = toSvgText({ ...picture, nodes: [...picture.nodes, ...placed] }, { widthMm: columnWidthMm });
  return new Blob([text], { type: 'image/svg+xml' });
}

/** Whoever opens the file may lack the font: texts keep their widths all the same. */
function withTextLength(node: SvgNode): SvgNode {
  const { tag, attrs } = node;
  if (tag !== 'text') {
    const children = node.children.map((child) =>
      typeof child === 'string' ? child : withTextLength(child),
    );
    return { ...node, children };
  }
  const weight = attrs.fontWeight === 600 || attrs.fontWeight === 500 ? attrs.fontWeight : 400;
  const textLength = (textWidth(node.children.join(''), { weight }) * Number(attrs.fontSize ?? 11)) / 11;
  return el(tag, { ...attrs, textLength, lengthAdjust: 'spacingAndGlyphs' }, node.children);
}

/** At twice the size on the page. */
export async function renderPng(request: ChartExport): Promise<Blob> {
  const { picture, figures } = layOut(request);
  const canvas = document.createElement('canvas');
  canvas.width = picture.width * pngScale;
  canvas.height = picture.height * pngScale;
  const ctx = canvas.getContext('2d');
  if (!ctx) throw new Error('this browser offers no 2D canvas');
  ctx.scale(pngScale, pngScale);
  const { fontSans } = request.theme;
  paintNodes(ctx, picture.nodes, fontSans);
  for (const { place, nodes } of figures) {
    ctx.save();
    ctx.translate(place.left, place.top);
    paintNodes(ctx, nodes, fontSans);
    ctx.restore();
  }
  return pngOf(canvas);
}
