import { formatCount } from '@mqttlab/shared/format/number';
import type { DocumentTable, TableColumn } from '../table.ts';
import { label } from './marks.ts';
import type { Palette } from './palette.ts';
import { el, type Picture, type SvgNode } from './svg.ts';
import { textWidth, wrapText } from './text-width.ts';

/** Origin of the values in a saved figure. */
export interface Provenance {
  /** "E-12 Cost of TLS"; absent for figures without an experiment. */
  experiment?: string;
  /** Number of runs in the figure, and of runs with a failed verdict. */
  valid?: number;
  flagged?: number;
  /** "mqttlab 1.0.0" */
  software: string;
  /** ISO 8601: "2026-11-26". */
  date: string;
}

/** Returns "E-12 Cost of TLS; 27 valid runs, 3 flagged; mqttlab 1.0.0; 2026-11-26". */
export function provenanceText({ experiment, valid, flagged, software, date }: Provenance): string {
  const runs =
    valid === undefined
      ? undefined
      : `${formatCount(valid)} valid ${valid === 1 ? 'run' : 'runs'}, ${formatCount(flagged ?? 0)} flagged`;
  return [experiment, runs, software, date].filter(Boolean).join('; ');
}

interface FrameSpec {
  palette: Palette;
  provenance: Provenance;
  /** Written above the picture. */
  title?: string;
  subtitle?: string;
}

const margin = 16;
const titlePx = 28;
const linePx = 16;
const footPx = 22;

/** Frames a picture for a file, with background, title, subtitle and provenance. */
export function framePicture(picture: Picture, { palette, provenance, title, subtitle }: FrameSpec): Picture {
  // Subtitles have a font size of 12 px, but `wrapText` measures text at 11 px.
  const lines = subtitle ? wrapText(subtitle, (picture.width * 11) / 12) : [];
  const head = (title ? titlePx : 0) + lines.length * linePx;
  const top = margin + head;
  const width = picture.width + 2 * margin;
  const foot = wrapText(provenanceText(provenance), picture.width);
  const height = top + picture.height + margin + footPx + (foot.length - 1) * linePx;
  const x = margin;
  return {
    width,
    height,
    label: picture.label,
    nodes: [
      el('rect', { x: 0, y: 0, width, height, fill: palette.surface }),
      ...(title
        ? [el('text', { x, y: margin + 12, fontSize: 14, fontWeight: 600, fill: palette.text }, [title])]
        : []),
      ...lines.map((line, i) =>
        el('text', { x, y: margin + 30 + i * linePx, fontSize: 12, fill: palette.text3 }, [line]),
      ),
      el('g', { transform: `translate(${margin} ${top})` }, picture.nodes),
      ...foot.map((line, i) =>
        label(line, { x, y: top + picture.height + margin + 4 + i * linePx, fill: palette.text3 }),
      ),
    ],
  };
}

/** Fixes the width of every text, because the program that opens the file may not have the font. */
export function fixTextWidths(picture: Picture): Picture {
  return { ...picture, nodes: picture.nodes.map(withTextLength) };
}

function withTextLength(node: SvgNode): SvgNode {
  const { tag, attrs } = node;
  if (tag !== 'text') {
    const children = node.children.map((child) =>
      typeof child === 'string' ? child : withTextLength(child),
    );
    return { ...node, children };
  }
  const weight = attrs.fontWeight === 600 || attrs.fontWeight === 500 ? attrs.fontWeight : 400;
  const textLength = textWidth(node.children.join(''), { weight, size: Number(attrs.fontSize ?? 11) });
  return el(tag, { ...attrs, textLength, lengthAdjust: 'spacingAndGlyphs' }, node.children);
}

/** Adds the provenance to a table as additional columns, with the same values in every row. */
export function withProvenance({ columns, rows }: DocumentTable, provenance: Provenance): DocumentTable {
  const { experiment, valid, flagged, software, date } = provenance;
  const extra: readonly (readonly [TableColumn, string | number | undefined])[] = [
    [{ head: 'Experiment' }, experiment],
    [{ head: 'Valid runs' }, valid],
    [{ head: 'Flagged runs' }, flagged],
    [{ head: 'Software' }, software],
    [{ head: 'Date' }, date],
  ];
  const known = extra.flatMap(([column, cell]) => (cell === undefined ? [] : [{ column, cell }]));
  return {
    columns: [...columns, ...known.map(({ column }) => column)],
    rows: rows.map((row) => [...row, ...known.map(({ cell }) => cell)]),
  };
}
