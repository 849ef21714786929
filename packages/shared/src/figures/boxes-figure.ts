import { formatNumber } from '../format/number.ts';
import { linearAxis, logAxis } from './drawing/axis.ts';
import { colourOf } from './drawing/palette.ts';
import { legend, line, makePanel, marker } from './drawing/plot.ts';
import { rowNames } from './drawing/row-names.ts';
import { el, type Picture, type SvgNode } from './drawing/svg.ts';
import { type FigureContext, figureWidth } from './drawing/treatments.ts';

const height = 240;
/** Whiskers this far apart are drawn on a logarithm: on a plain axis the boxes would be lines. */
const wide = 40;

/** Box plots over all messages: box P25 to P75, whiskers P5 to P95, marker at the mean. */
export function drawBoxes(context: FigureContext): Picture {
  const { palette, rows, colours, find, report } = context;
  const keys = legend(palette, colours, { left: 50, top: 0, right: figureWidth });
  const all = report.latency.flatMap(({ box }) => [box.p5, box.p95, box.mean]);
  const isLog = Math.min(...all) > 0 && Math.max(...all) / Math.min(...all) > wide;
  const axis = isLog ? logAxis(all) : linearAxis(all, { zero: true });
  const top = keys.height + 22;
  const area = { left: 50, right: figureWidth - 8, top, bottom: top + height };
  const panel = makePanel({
    palette,
    area,
    x: { min: 0, max: Math.max(1, rows.length), ticks: [], isLog: false, format: String },
    y: axis,
    yLabel: `Message latency, ms${isLog ? ' (logarithmic)' : ''}`,
  });
  const nodes: SvgNode[] = [...keys.nodes, ...panel.ground];
  const groupWidth = (area.right - area.left) / Math.max(1, rows.length);
  const room = Math.min(60, (groupWidth * 0.8) / colours.length);
  for (const { treatment, box, messages } of report.latency) {
    const { rowLabel, colourLabel, mark, label: name } = find(treatment);
    const place = colours.findIndex(({ text }) => text === colourLabel);
    const centre = area.left + groupWidth * (rows.indexOf(rowLabel) + 0.5);
    const x = centre + (place - (colours.length - 1) / 2) * room;
    const half = room * 0.32;
    const stroke = colourOf(palette, mark);
    const tip = `${name}: median ${formatNumber(box.p50)} ms, P5 ${formatNumber(box.p5)}, P95 ${formatNumber(box.p95)}, ${messages} messages`;
    nodes.push(
      line({ from: [x, panel.y(box.p5)], to: [x, panel.y(box.p25)], stroke, width: 1.25 }),
      line({ from: [x, panel.y(box.p75)], to: [x, panel.y(box.p95)], stroke, width: 1.25 }),
      ...[box.p5, box.p95].map((end) =>
        line({ from: [x - half / 2, panel.y(end)], to: [x + half / 2, panel.y(end)], stroke, width: 1.25 }),
      ),
      el(
        'rect',
        {
          x: x - half,
          y: panel.y(box.p75),
          width: 2 * half,
          height: Math.max(1, panel.y(box.p25) - panel.y(box.p75)),
          fill: stroke,
          fillOpacity: 0.18,
          stroke,
          strokeWidth: 1.25,
        },
        [el('title', {}, [tip])],
      ),
      line({ from: [x - half, panel.y(box.p50)], to: [x + half, panel.y(box.p50)], stroke, width: 2 }),
      marker(palette, mark, { x, y: panel.y(box.mean), size: 3, tip }),
    );
  }
  const names = rowNames(context, area);
  nodes.push(...names.nodes);
  return {
    width: figureWidth,
    height: area.bottom + names.height,
    label: 'Message latency: box P25 to P75, whiskers P5 to P95',
    nodes,
  };
}
