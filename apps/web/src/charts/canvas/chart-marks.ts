import { label } from '@mqttlab/charts/drawing/plot';
import { published } from '@mqttlab/charts/drawing/shapes';
import type { SvgNode } from '@mqttlab/charts/drawing/svg';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartTheme } from './chart-theme.ts';

type At = { x: number; y: number };

type EstimateText = {
  value: string;
  interval: string;
  /** "3 of 3 flagged", after them. */
  note?: string | undefined;
  /** Both dimmed: they do not count. */
  isPreview?: boolean | undefined;
};

const notePx = 10;

/** "18.4 [17.9, 18.8]" ending at x: the figure strong, the interval dimmed. */
export function estimateText(theme: ChartTheme, { x, y, ...text }: At & EstimateText): SvgNode[] {
  const { value, interval, note = '', isPreview = false } = text;
  const end = note ? x - theme.widthOf(note) - notePx : x;
  const width = interval ? theme.widthOf(interval) + 5 : 0;
  const figure = isPreview
    ? ({ weight: 400, fill: theme.text3 } as const)
    : ({ weight: 600, fill: theme.text } as const);
  return [
    ...(note ? [label(note, { x, y, anchor: 'end' as const, fill: theme.text2 })] : []),
    label(interval, { x: end, y, anchor: 'end', fill: isPreview ? theme.text3 : theme.text2 }),
    label(value, { x: end - width, y, anchor: 'end', ...figure }),
  ];
}

/** Room for it. */
export function estimateWidth(theme: ChartTheme, { value, interval, note = '' }: EstimateText) {
  return theme.widthOf(value, 600) + theme.widthOf(interval) + 5 + (note ? theme.widthOf(note) + notePx : 0);
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
