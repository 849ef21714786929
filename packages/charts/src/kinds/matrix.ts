import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { formatFixed, formatNumber } from '@mqttlab/shared/format/number';
import { bar, label, rule } from '../drawing/marks.ts';
import type { Palette } from '../drawing/palette.ts';
import type { Picture, SvgNode } from '../drawing/svg.ts';
import { shorten, textWidth, wrapText } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth } from '../drawing/treatments.ts';

interface MatrixColumn {
  /** Heading, written once above neighbouring columns that share it. */
  group?: string;
  head: string;
}

interface MatrixCell {
  text: string;
  /** Signed share of the full colour, -1 to 1; null leaves the cell empty. */
  share: number | null;
  isStrong?: boolean;
}

interface MatrixData {
  label: string;
  rows: readonly string[];
  columns: readonly MatrixColumn[];
  cellOf(row: number, column: number): MatrixCell;
  /** Draws an explanation of the colours below the cells. */
  key?(place: { left: number; top: number }): SvgNode[];
}

const cellHeight = 24;
/** Width for a number with sign and dot, in px. */
const minCellWidth = 48;
const headHeight = 44;
const bandGap = 18;
const keyHeight = 50;

/** Draws one cell per row and column. Columns that do not fit are drawn in additional bands below. */
function drawMatrix(palette: Palette, data: MatrixData): Picture {
  const { rows, columns } = data;
  const left = Math.max(...rows.map((name) => textWidth(name)), 60) * 1.1 + 12;
  const room = figureWidth - left;
  const bands = Math.max(1, Math.ceil((columns.length * minCellWidth) / room));
  const perBand = Math.max(1, Math.ceil(columns.length / bands));
  const width = room / perBand;
  const bandHeight = headHeight + rows.length * cellHeight + bandGap;
  const nodes = Array.from({ length: bands }, (_, band) =>
    drawBand(palette, data, {
      left,
      width,
      top: band * bandHeight,
      from: band * perBand,
      to: Math.min(columns.length, (band + 1) * perBand),
    }),
  ).flat();
  const bottom = bands * bandHeight - bandGap;
  const key = data.key?.({ left, top: bottom + 14 }) ?? [];
  return {
    width: figureWidth,
    height: bottom + (key.length > 0 ? keyHeight : 4),
    label: data.label,
    nodes: [...nodes, ...key],
  };
}

interface Band {
  /** Columns from `from` up to, but not including, `to`. */
  from: number;
  to: number;
  left: number;
  /** Size of a cell. */
  width: number;
  top: number;
}

function drawBand(palette: Palette, { rows, columns, cellOf }: MatrixData, band: Band): SvgNode[] {
  const { from, to, left, width, top } = band;
  const cells = rows.flatMap((name, row): SvgNode[] => {
    const y = top + headHeight + row * cellHeight;
    return [
      label(name, { x: left - 8, y: y + cellHeight / 2, anchor: 'end', fill: palette.text2 }),
      ...Array.from({ length: to - from }, (_, place): SvgNode[] => {
        const { text, share, isStrong = false } = cellOf(row, from + place);
        const x = left + place * width;
        const area = { left: x + 1, top: y + 1, right: x + width - 1, bottom: y + cellHeight - 1 };
        const centre = { x: x + width / 2, y: y + cellHeight / 2, anchor: 'middle' as const };
        return [
          bar(area, sharePaint(palette, share)),
          label(text, { ...centre, fill: palette.text, ...(isStrong ? { weight: 600 } : {}) }),
        ];
      }).flat(),
    ];
  });
  return [...heads(palette, columns.slice(from, to), band), ...cells];
}

function sharePaint({ low, high }: Palette, share: number | null) {
  if (share === null) return { fill: 'none' };
  return { fill: share < 0 ? low : high, fillOpacity: 0.05 + 0.6 * Math.min(1, Math.abs(share)) };
}

function heads(palette: Palette, columns: readonly MatrixColumn[], { left, width, top }: Band): SvgNode[] {
  const nodes: SvgNode[] = [];
  let from = 0;
  columns.forEach(({ group, head }, index) => {
    const centre = { x: left + (index + 0.5) * width, anchor: 'middle' as const };
    if (group === undefined) {
      const lines = wrapText(head, width - 4).slice(0, 2);
      nodes.push(
        ...lines.map((line, i) =>
          label(line, {
            ...centre,
            y: top + 30 - 15 * (lines.length - 1 - i),
            fill: palette.text,
            weight: 600,
          }),
        ),
      );
      return;
    }
    nodes.push(label(shorten(head, width), { ...centre, y: top + 30, fill: palette.text2 }));
    if (columns[index + 1]?.group === group) return;
    const [start, end] = [left + from * width, left + (index + 1) * width];
    nodes.push(
      label(shorten(group, end - start), {
        x: (start + end) / 2,
        y: top + 10,
        anchor: 'middle',
        fill: palette.text,
        weight: 600,
      }),
      rule({ from: [start + 3, top + 20], to: [end - 3, top + 20], stroke: palette.axis }),
    );
    from = index + 1;
  });
  return nodes;
}

/** Effect size from which cells have the full colour. */
const fullAt = 4;

/** Draws Hedges' g of every contrast for several metrics. A dot marks resolved contrasts. */
export function drawEffectSizes(context: FigureContext, responses: readonly ReportResponse[]): Picture {
  const { palette, find } = context;
  const keys = responses[0]?.contrasts.map(({ treatment }) => treatment) ?? [];
  return drawMatrix(palette, {
    label: 'Effect sizes (Hedges’ g) by metric and contrast',
    rows: responses.map((response) => response.label),
    columns: keys.map((key) => ({ group: find(key).colourLabel, head: find(key).rowLabel })),
    cellOf: (row, column) => {
      const contrast = responses[row]?.contrasts.find(({ treatment }) => treatment === keys[column]);
      const g = contrast?.hedgesG ?? null;
      const isStrong = contrast?.outcome === 'resolved';
      return {
        text: `${g === null ? '–' : effectText(g)}${isStrong ? ' •' : ''}`,
        share: g === null ? null : g / fullAt,
        isStrong,
      };
    },
    key: (place) => effectKey(palette, place),
  });
}

/** Formats an effect size. Sizes above 100 only show that there is hardly any spread. */
function effectText(g: number): string {
  if (Math.abs(g) > 100) return g < 0 ? '< −100' : '> 100';
  return formatFixed(g, Math.abs(g) < 9.95 ? 2 : 1);
}

const keySteps = [-4, -3, -2, -1, 0, 1, 2, 3, 4];

function effectKey(palette: Palette, { left, top }: { left: number; top: number }): SvgNode[] {
  const words = 'blue: less than the baseline; orange: more';
  const room = figureWidth - left - 12 - textWidth(words) * 1.05;
  const [width, height] = [Math.min(30, room / keySteps.length), 11];
  const swatches = keySteps.flatMap((g, index) => {
    const x = left + index * width;
    const isEnd = Math.abs(g) === fullAt;
    const text = `${isEnd ? (g < 0 ? '≤ ' : '≥ ') : ''}${g < 0 ? '−' : ''}${Math.abs(g)}`;
    return [
      bar({ left: x, right: x + width - 1, top, bottom: top + height }, sharePaint(palette, g / fullAt)),
      ...(g % 2 === 0
        ? [label(text, { x: x + width / 2, y: top + 21, anchor: 'middle', fill: palette.text3 })]
        : []),
    ];
  });
  return [
    label('Hedges’ g', { x: left - 8, y: top + height / 2, anchor: 'end', fill: palette.text3 }),
    ...swatches,
    label(words, { x: left + keySteps.length * width + 12, y: top + height / 2, fill: palette.text3 }),
  ];
}

/** Cohen's d of one response between two configurations. */
interface Effect {
  response: string;
  name: string;
  d: number | null;
  /** "medium". */
  size: string;
}

/** Thresholds of a small, a medium and a large effect (Cohen 1988). */
const thresholds = [0.2, 0.5, 0.8];

/** Draws Cohen's d of each response and pair. The colour is stronger for each threshold that it reaches. */
export function drawEffectMap(palette: Palette, effects: readonly Effect[]): Picture {
  const rows = [...new Set(effects.map(({ response }) => response))];
  const names = [...new Set(effects.map(({ name }) => name))];
  return drawMatrix(palette, {
    label: 'Map of Cohen’s d by response and configuration',
    rows,
    columns: names.map((head) => ({ head })),
    cellOf: (row, column) => {
      const effect = effects.find(({ response, name }) => response === rows[row] && name === names[column]);
      const d = effect?.d ?? null;
      if (d === null) return { text: '–', share: 0 };
      const step = thresholds.filter((threshold) => Math.abs(d) >= threshold).length;
      return { text: `${formatNumber(d)} ${effect?.size ?? ''}`, share: (Math.sign(d) * step) / 3 };
    },
  });
}
