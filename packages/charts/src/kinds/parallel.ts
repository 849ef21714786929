import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { formatNumber } from '@mqttlab/shared/format/number';
import { spreadLabels } from '../drawing/labels.ts';
import { dot, label, legend, line, rule } from '../drawing/marks.ts';
import type { Picture, SvgNode } from '../drawing/svg.ts';
import { shorten, textWidth, wrapText } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth } from '../drawing/treatments.ts';

const usualHeight = 230;
const lineHeight = 14;
const nameGap = lineHeight - 1;
/** Maximum number of named lines. If there are more, names are only in tooltips and the table. */
const maxNames = 30;
/** Space for row names. */
const maxRoom = 190;

/** Draws all treatments over several metrics. Each axis extends from the smallest to the largest mean. */
export function drawParallel(context: FigureContext, responses: readonly ReportResponse[]): Picture {
  const { palette, colours, rows, find, report } = context;
  const keys = legend(palette, colours, { left: 0, top: 0, right: figureWidth });
  const named = report.treatments.filter(({ key }) => find(key).rowLabel !== '');
  const hasNames = named.length > 0 && named.length <= maxNames;
  const height = Math.max(usualHeight, hasNames ? named.length * nameGap : 0);
  const names = hasNames ? rows.map((row) => textWidth(row) + 34) : [];
  const room = Math.min(maxRoom, Math.max(62, ...names));
  const side = chooseSide(context, responses, height);
  const left = side < 0 ? room : 62;
  const right = figureWidth - (side > 0 ? room : 62);
  const step = (right - left) / Math.max(1, responses.length - 1);
  const heads = responses.map(({ label: name, unit }) => [...wrapText(name, step - 10), unit]);
  const top = keys.height + 22 + lineHeight * Math.max(...heads.map(({ length }) => length));
  const bottom = top + height;
  const nodes: SvgNode[] = [...keys.nodes];
  const axes = responses.map((response, index) => {
    const { min, max, heightOf } = scaleOf(response, height);
    const x = left + step * index;
    const lines = heads[index] ?? [];
    nodes.push(
      rule({ from: [x, top], to: [x, bottom], stroke: palette.axis }),
      ...lines.map((text, place) => {
        const isUnit = place === lines.length - 1;
        const y = top - 26 - lineHeight * (lines.length - 1 - place);
        return label(text, {
          x,
          y,
          anchor: 'middle',
          ...(isUnit ? { fill: palette.text3 } : { fill: palette.text, weight: 600 }),
        });
      }),
      label(formatNumber(max), { x, y: top - 11, anchor: 'middle', fill: palette.text3 }),
      label(formatNumber(min), { x, y: bottom + 13, anchor: 'middle', fill: palette.text3 }),
    );
    const yOf = (key: string): number | null => {
      const above = heightOf(key);
      return above === null ? null : bottom - above;
    };
    return { x, yOf };
  });
  for (const { key } of report.treatments) {
    const { mark, label: name } = find(key);
    const points = axes.map(({ x, yOf }): [number, number] | null => {
      const y = yOf(key);
      return y === null ? null : [x, y];
    });
    nodes.push(line(palette, mark, points));
    for (const point of points) {
      if (point) nodes.push(dot(palette, mark, { x: point[0], y: point[1], size: 3, tip: name }));
    }
  }
  const outer = side > 0 ? axes.at(-1) : axes[0];
  if (outer && hasNames) nodes.push(...rowNames(context, outer, { side, top, bottom }));
  return { width: figureWidth, height: bottom + 28, label: 'Treatments over several metrics', nodes };
}

/** Returns the height of a treatment between the smallest and the largest mean. */
function scaleOf({ estimates }: ReportResponse, height: number) {
  const means = estimates.flatMap(({ mean }) => mean ?? []);
  const [min, max] = [Math.min(...means), Math.max(...means)];
  const heightOf = (key: string): number | null => {
    const mean = estimates.find(({ treatment }) => treatment === key)?.mean ?? null;
    if (mean === null) return null;
    return max > min ? ((mean - min) / (max - min)) * height : height / 2;
  };
  return { min, max, heightOf };
}

/** Returns the side on which row names are nearer to their lines: 1 for the last axis, -1 for the first. */
function chooseSide({ report }: FigureContext, responses: readonly ReportResponse[], height: number): 1 | -1 {
  const moved = (response: ReportResponse | undefined) => {
    if (!response) return 0;
    const { heightOf } = scaleOf(response, height);
    const wanted = report.treatments.flatMap(({ key }) => heightOf(key) ?? []).sort((a, b) => a - b);
    const places = spreadLabels(wanted, { gap: nameGap, min: 0, max: height });
    return wanted.reduce((sum, y, index) => sum + Math.abs((places[index] ?? y) - y), 0);
  };
  return moved(responses[0]) < moved(responses.at(-1)) ? -1 : 1;
}

/** Draws row names next to an outer axis, to distinguish lines of one colour. */
function rowNames(
  { palette, find, report }: FigureContext,
  axis: { x: number; yOf(key: string): number | null },
  { side, top, bottom }: { side: 1 | -1; top: number; bottom: number },
): SvgNode[] {
  const ends = report.treatments
    .flatMap(({ key }) => {
      const y = axis.yOf(key);
      const { rowLabel } = find(key);
      return y === null || rowLabel === '' ? [] : [{ y, text: shorten(rowLabel, maxRoom - 24) }];
    })
    .sort((a, b) => a.y - b.y);
  const places = spreadLabels(
    ends.map(({ y }) => y),
    { gap: nameGap, min: top, max: bottom },
  );
  return ends.flatMap(({ y, text }, index) => {
    const at = places[index] ?? y;
    const x = axis.x + side * 23;
    return [
      rule({ from: [axis.x + side * 5, y], to: [axis.x + side * 20, at], stroke: palette.axis }),
      label(text, { x, y: at, fill: palette.text2, anchor: side > 0 ? 'start' : 'end' }),
    ];
  });
}
