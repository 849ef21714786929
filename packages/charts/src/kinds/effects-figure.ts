import { formatNumber } from '@mqttlab/shared/format/number';
import type { Palette } from '../drawing/palette.ts';
import { label } from '../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';
import { figureWidth } from '../drawing/treatments.ts';

/** Cohen’s d of one response between two configurations. */
interface Effect {
  response: string;
  name: string;
  d: number | null;
  /** "medium". */
  size: string;
}

const thresholds = [0.2, 0.5, 0.8];
const cellHeight = 34;

/** A cell for each response and pair: the stronger the colour, the larger the step of the thresholds. */
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
