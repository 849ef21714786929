import { formatNumber } from '@mqttlab/shared/format/number';
import { label, published } from './marks.ts';
import type { Palette } from './palette.ts';
import type { SvgNode } from './svg.ts';
import { textWidth } from './text-width.ts';

interface Place {
  x: number;
  y: number;
}

export interface EstimateTexts {
  value: string;
  interval: string;
  /** Text after the estimate: "3 of 3 flagged". */
  note?: string | undefined;
  /** Whether value and interval are dimmed, for a preview. */
  isPreview?: boolean | undefined;
}

const notePx = 10;

/** Writes "18.4 [17.9, 18.8]", ending at x. The value is strong, the interval dimmed. */
export function estimateText(palette: Palette, { x, y, ...text }: Place & EstimateTexts): SvgNode[] {
  const { value, interval, note = '', isPreview = false } = text;
  const end = note ? x - textWidth(note) - notePx : x;
  const width = interval ? textWidth(interval) + 5 : 0;
  const style = isPreview
    ? ({ weight: 400, fill: palette.text3 } as const)
    : ({ weight: 600, fill: palette.text } as const);
  return [
    ...(note ? [label(note, { x, y, anchor: 'end' as const, fill: palette.text2 })] : []),
    label(interval, { x: end, y, anchor: 'end', fill: isPreview ? palette.text3 : palette.text2 }),
    label(value, { x: end - width, y, anchor: 'end', ...style }),
  ];
}

/** Returns the width of an estimate text, in px. */
export function estimateWidth({ value, interval, note = '' }: EstimateTexts): number {
  return textWidth(value, { weight: 600 }) + textWidth(interval) + 5 + (note ? textWidth(note) + notePx : 0);
}

/** Space for a published value next to its diamond, in px. */
const publishedRoom = 38;

/**
 * Draws the diamond of a published value and the value next to it, on the left if there is no room on the
 * right.
 */
export function publishedValue(
  palette: Palette,
  { value, right, x, y }: Place & { value: number; right: number },
): SvgNode[] {
  const fits = x + publishedRoom < right;
  return [
    published(palette, { x, y }),
    label(formatNumber(value), {
      x: x + (fits ? 8 : -8),
      y,
      anchor: fits ? 'start' : 'end',
      fill: palette.text2,
      halo: palette.surface,
    }),
  ];
}
