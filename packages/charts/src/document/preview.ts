import type { Headline } from '@mqttlab/shared/domain/runs/experiment';
import { bareAxis, scaleOf } from '../drawing/axis.ts';
import { bar, rule } from '../drawing/marks.ts';
import { mixColours, type Palette } from '../drawing/palette.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';

/** Size recommended by Open Graph. */
const size = { width: 1200, height: 630 };
const margin = 72;

/** Draws the preview of a shared link: its title, the first finding and its interval. */
export function drawPreview(palette: Palette, title: string, headline: Headline | null): Picture {
  const { accent, text: ink, text2: dim } = palette;
  const heading = lines(title, { y: 180, px: 60, weight: 600, fill: ink, most: 2 });
  const sentence = headline?.sentence.replace(/\*\*/g, '') ?? '';
  return {
    ...size,
    label: title,
    nodes: [
      bar({ left: 0, right: size.width, top: 0, bottom: size.height }, { fill: palette.surface }),
      bar({ left: 0, right: size.width, top: 0, bottom: 12 }, { fill: accent }),
      ...lines('mqttlab', { y: 96, px: 30, weight: 600, fill: accent, most: 1 }).nodes,
      ...heading.nodes,
      ...(headline
        ? [
            ...lines(sentence, { y: heading.end + 10, px: 32, weight: 400, fill: dim, most: 3 }).nodes,
            ...drawInterval(palette, headline),
          ]
        : []),
    ],
  };
}

interface LinesSpec {
  /** Text baseline of the first line. */
  y: number;
  px: number;
  weight: 400 | 600;
  fill: string;
  /** Maximum number of lines. */
  most: number;
}

/** Wraps text at words. `end` is the text baseline of the next line. */
function lines(text: string, { y, px, weight, fill, most }: LinesSpec): { nodes: SvgNode[]; end: number } {
  const broken: string[] = [''];
  for (const word of text.split(' ')) {
    const longer = `${broken.at(-1)} ${word}`.trim();
    const fits = textWidth(longer, { size: px, weight }) <= size.width - 2 * margin;
    if (fits) broken[broken.length - 1] = longer;
    else broken.push(word);
  }
  const shown = broken.slice(0, most);
  if (broken.length > most) shown[most - 1] = `${shown[most - 1]} …`;
  const lineHeight = px * 1.25;
  return {
    nodes: shown.map((line, i) =>
      el('text', { x: margin, y: y + i * lineHeight, fontSize: px, fontWeight: weight, fill }, [line]),
    ),
    end: y + shown.length * lineHeight,
  };
}

/** Draws the contrast with its 95 % interval, and a rule at no difference. */
function drawInterval(palette: Palette, { scale, value, lo, hi, figure, who }: Headline): SvgNode[] {
  const { accent, text, text2, surface } = palette;
  const words = [
    ...lines(figure, { y: 490, px: 40, weight: 600, fill: text, most: 1 }).nodes,
    ...lines(who, { y: 530, px: 24, weight: 400, fill: text2, most: 1 }).nodes,
  ];
  if (value === null || lo === null || hi === null) return words;
  const none = scale === 'ratio' ? 1 : 0;
  const [least, most] = [Math.min(lo, none), Math.max(hi, none)];
  const x = scaleOf(bareAxis(least, most > least ? most : least + 1), margin + 20, size.width - margin - 20);
  return [
    ...words,
    rule({ from: [x(none), 558], to: [x(none), 602], stroke: mixColours(accent, surface, 0.3), width: 3 }),
    rule({ from: [x(lo), 580], to: [x(hi), 580], stroke: accent, width: 6 }),
    el('circle', { cx: x(value), cy: 580, r: 11, fill: accent }),
  ];
}
