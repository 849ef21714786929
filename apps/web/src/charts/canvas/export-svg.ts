import { el, type SvgNode, toSvgText } from '@mqttlab/shared/figures/drawing/svg';
import type { PngRequest } from './export-png.ts';

const margin = 16;
const head = 44;
/** Both columns of an A4 page. */
const widthMm = 170;

/** The panel's canvases as one drawing under their title and subtitle, at the width of a printed page. */
export function renderSvg({ title, subtitle, hosts, body, theme }: PngRequest): Blob {
  const frame = body.getBoundingClientRect();
  const width = frame.width + 2 * margin;
  const height = frame.height + head + 2 * margin;
  const nodes: SvgNode[] = [
    el('rect', { width, height, fill: theme.surface }),
    el('text', { x: margin, y: margin + 12, fontSize: 14, fontWeight: 600, fill: theme.text }, [title]),
    el('text', { x: margin, y: margin + 30, fontSize: 12, fill: theme.text3 }, [subtitle]),
  ];
  for (const [canvas, { record }] of hosts) {
    const place = canvas.getBoundingClientRect();
    const x = place.left - frame.left + margin;
    const y = place.top - frame.top + head + margin;
    nodes.push(el('g', { transform: `translate(${x} ${y})` }, record()));
  }
  const text = toSvgText({ width, height, label: title, nodes }, { widthMm });
  return new Blob([text], { type: 'image/svg+xml' });
}
