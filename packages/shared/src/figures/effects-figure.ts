import { formatNumber } from '../format/number.ts';
import { linearAxis } from './drawing/axis.ts';
import { colourOf, type Palette } from './drawing/palette.ts';
import { label, line } from './drawing/plot.ts';
import { drawRows, rowBar } from './drawing/rows.ts';
import { el, type Picture, type SvgNode } from './drawing/svg.ts';
import { textWidth } from './drawing/text-width.ts';
import { figureWidth } from './drawing/treatments.ts';

/** Cohen’s d of one response of one configuration against its baseline. */
interface Effect {
  response: string;
  name: string;
  mark: number;
  d: number | null;
  /** "medium". */
  size: string;
}

const thresholds = [0.2, 0.5, 0.8];
const cellHeight = 34;

/** One group of bars for each response, thresholds dashed. */
export function drawEffectBars(palette: Palette, effects: readonly Effect[]): Picture {
  const rows = effects.flatMap(({ response: group, name, d, ...effect }) =>
    d === null ? [] : [{ group, label: name, d, ...effect }],
  );
  return drawRows({
    palette,
    rows,
    x: linearAxis([-1, 1, ...rows.map(({ d }) => d)], { zero: true }),
    xLabel: 'Cohen’s d against plain',
    label: 'Cohen’s d by response and configuration',
    top: 24,
    rightRoom: 70,
    around: ({ x, area: { top, bottom } }) =>
      [...thresholds, ...thresholds.map((threshold) => -threshold), 0].map((value) =>
        line({
          from: [x(value), top],
          to: [x(value), bottom],
          stroke: value === 0 ? palette.axis : palette.text3,
          dash: value === 0 ? undefined : '3 3',
        }),
      ),
    draw: ({ label: name, d, mark, size }, y, { x }) => [
      rowBar([x(0), x(d)], y, {
        fill: colourOf(palette, mark),
        opacity: 0.6,
        tip: `${name}: d = ${formatNumber(d)}, ${size}`,
      }),
      label(formatNumber(d), { x: figureWidth - 4, y, anchor: 'end', fill: palette.text }),
    ],
  });
}

/** The same as a map: the stronger the colour, the larger the step of the thresholds. */
export function drawEffectMap(palette: Palette, effects: readonly Effect[]): Picture {
  const responses = [...new Set(effects.map(({ response }) => response))];
  const names = [...new Set(effects.map(({ name }) => name))];
  const left = Math.max(80, ...responses.map((response) => textWidth(response))) + 16;
  const width = (figureWidth - left) / Math.max(1, names.length);
  const top = 40;
  const heads = names.flatMap((name, index) =>
    halves(name).map((text, place) => {
      const at = { x: left + (index + 0.5) * width, y: 10 + 16 * place };
      return label(text, { ...at, anchor: 'middle', fill: palette.text, weight: 600 });
    }),
  );
  const cells = responses.flatMap((response, row): SvgNode[] => {
    const y = top + row * cellHeight;
    return [
      label(response, { x: left - 10, y: y + cellHeight / 2, anchor: 'end', fill: palette.text2 }),
      ...names.flatMap((name, index) => {
        const found = effects.find((one) => one.response === response && one.name === name);
        return effectCell(palette, found, { x: left + index * width, y, width });
      }),
    ];
  });
  return {
    width: figureWidth,
    height: top + responses.length * cellHeight + 4,
    label: 'Map of Cohen’s d by response and configuration',
    nodes: [...heads, ...cells],
  };
}

function effectCell(
  palette: Palette,
  effect: Effect | undefined,
  { x, y, width }: { x: number; y: number; width: number },
): SvgNode[] {
  const { d = null, size = '' } = effect ?? {};
  const step = d === null ? 0 : thresholds.filter((threshold) => Math.abs(d) >= threshold).length;
  const frame = { x: x + 1, y: y + 1, width: width - 2, height: cellHeight - 2 };
  const fill = d !== null && d < 0 ? palette.low : palette.high;
  const centre = { x: x + width / 2, y: y + cellHeight / 2, anchor: 'middle' } as const;
  return [
    el('rect', { ...frame, fill, fillOpacity: 0.05 + 0.2 * step }),
    label(d === null ? '–' : `${formatNumber(d)} ${size}`, { ...centre, fill: palette.text }),
  ];
}

/** A long name on two lines. */
function halves(text: string): string[] {
  if (text.length < 14) return [text];
  const words = text.split(' ');
  const middle = Math.ceil(words.length / 2);
  return [words.slice(0, middle).join(' '), words.slice(middle).join(' ')];
}
