import type { ReportResponse } from '../domain/report.ts';
import { formatNumber } from '../format/number.ts';
import { label } from './plot.ts';
import { el, type Picture, type SvgNode } from './svg.ts';
import { textWidth } from './text-width.ts';
import { type FigureContext, figureWidth } from './treatments.ts';

const cellHeight = 24;
/** Effects beyond are drawn as strong as this: twice what is called large. */
const fullAt = 4;

/** Hedges g of every contrast on several metrics; a dot marks those that Holm leaves standing. */
export function drawEffectSizes(
  { palette, find }: FigureContext,
  responses: readonly ReportResponse[],
): Picture {
  const columns = responses[0]?.contrasts.map(({ treatment }) => treatment) ?? [];
  const left = Math.max(...responses.map(({ label: name }) => textWidth(name)), 60) * 1.1 + 12;
  const width = (figureWidth - left) / Math.max(1, columns.length);
  const top = 44;
  const nodes: SvgNode[] = columns.flatMap((key, index) => {
    const { colourLabel, rowLabel } = find(key);
    const x = left + (index + 0.5) * width;
    return [
      label(shorten(colourLabel.replace(/^TLS 1\.[23] /, ''), width), {
        x,
        y: 12,
        anchor: 'middle',
        fill: palette.text,
        weight: 600,
      }),
      label(shorten(rowLabel, width), { x, y: 28, anchor: 'middle', fill: palette.text2 }),
    ];
  });
  responses.forEach((response, line) => {
    const y = top + line * cellHeight;
    nodes.push(
      label(response.label, { x: left - 8, y: y + cellHeight / 2, anchor: 'end', fill: palette.text2 }),
    );
    columns.forEach((key, index) => {
      const contrast = response.contrasts.find(({ treatment }) => treatment === key);
      const g = contrast?.hedgesG ?? null;
      const x = left + index * width;
      const share = g === null ? 0 : Math.min(1, Math.abs(g) / fullAt);
      const isHolm = contrast?.p !== null && contrast !== undefined && (contrast.p ?? 1) < 0.05;
      nodes.push(
        el('rect', {
          x: x + 1,
          y: y + 1,
          width: width - 2,
          height: cellHeight - 2,
          fill: g !== null && g < 0 ? palette.low : palette.high,
          fillOpacity: 0.06 + 0.6 * share,
        }),
        label(`${g === null ? '–' : effectText(g)}${isHolm ? ' •' : ''}`, {
          x: x + width / 2,
          y: y + cellHeight / 2,
          anchor: 'middle',
          fill: palette.text,
        }),
      );
    });
  });
  return {
    width: figureWidth,
    height: top + responses.length * cellHeight + 4,
    label: 'Effect sizes, Hedges g, by metric and contrast',
    nodes,
  };
}

/** Beyond a hundred spreads the size says only that there is hardly any spread. */
function effectText(g: number): string {
  return Math.abs(g) > 100 ? `${g < 0 ? '<' : '>'} ${g < 0 ? '−' : ''}100` : formatNumber(g, 2);
}

function shorten(text: string, width: number): string {
  if (textWidth(text) * 1.12 <= width - 6) return text;
  let cut = text;
  while (cut.length > 3 && textWidth(cut) * 1.12 > width - 14) cut = cut.slice(0, -1);
  return `${cut}…`;
}
