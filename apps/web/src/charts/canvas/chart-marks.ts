import { label } from '@mqttlab/shared/figures/drawing/plot';
import { published } from '@mqttlab/shared/figures/drawing/shapes';
import type { SvgNode } from '@mqttlab/shared/figures/drawing/svg';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartTheme } from './chart-theme.ts';

type At = { x: number; y: number };

/** "18.4 [17.9, 18.8]" ending at x: the figure strong, the interval dimmed. */
export function estimateText(
  theme: ChartTheme,
  { value, interval, x, y }: At & { value: string; interval: string },
): SvgNode[] {
  const width = interval ? theme.widthOf(interval) + 5 : 0;
  return [
    label(interval, { x, y, anchor: 'end', fill: theme.text2 }),
    label(value, { x: x - width, y, anchor: 'end', weight: 600, fill: theme.text }),
  ];
}

/** Room for it. */
export function estimateWidth(theme: ChartTheme, { value, interval }: { value: string; interval: string }) {
  return theme.widthOf(value, 600) + theme.widthOf(interval) + 5;
}

/** Of the value of a published study beside its diamond. */
const publishedRoom = 38;

/** The diamond of a published value with its figure beside it, at the left where the right has no room. */
export function publishedValue(
  theme: ChartTheme,
  { value, text = formatNumber(value), right, x, y }: At & { value: number; text?: string; right: number },
): SvgNode[] {
  const fits = x + publishedRoom < right;
  return [
    published(theme, x, y),
    label(text, {
      x: x + (fits ? 8 : -8),
      y,
      anchor: fits ? 'start' : 'end',
      fill: theme.text2,
      halo: theme.surface,
    }),
  ];
}

type TitleAndNote = { title: string; note: string; weight?: 500 | 600; size?: number };

/** Two texts one after the other, the second dimmed. */
export function titleAndNote(
  theme: ChartTheme,
  { title, note, x, y, weight = 600, size = 11 }: At & TitleAndNote,
): SvgNode[] {
  return [
    label(title, { x, y, weight, size, fill: theme.text, halo: theme.surface }),
    ...(note
      ? [label(note, { x: x + (theme.widthOf(title, weight) * size) / 11 + 8, y, fill: theme.text3 })]
      : []),
  ];
}
