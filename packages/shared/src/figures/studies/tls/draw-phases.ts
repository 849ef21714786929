import { colourOf, type Palette } from '../../drawing/palette.ts';
import { label } from '../../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../../drawing/svg.ts';

const size = { width: 360, height: 104 };
const left = 66;
/** Widths that hold the words; they stand for no time. */
const phases = [
  { name: 'TCP', style: 7, width: 34 },
  { name: 'TLS', style: 2, width: 34 },
  { name: 'CONNECT', style: 6, width: 60 },
  { name: 'SUB', style: 4, width: 36 },
  { name: 'transfer', style: 5, width: 76 },
  { name: 'DISC', style: 8, width: 40 },
] as const;

const roles = [
  { name: 'publisher', without: ['SUB'] },
  { name: 'subscriber', without: [] },
  { name: 'broker', without: ['TCP', 'TLS', 'CONNECT', 'SUB', 'DISC'] },
] as const;

/** Which phases of a connection are told apart for each role, in their order and without a scale. */
export function drawPhases(palette: Palette): Picture {
  const nodes: SvgNode[] = roles.flatMap(({ name, without }, row) => {
    const y = 8 + row * 32;
    let x = left;
    const boxes = phases.flatMap(({ name: phase, style, width }): SvgNode[] => {
      const at = x;
      x += width;
      if ((without as readonly string[]).includes(phase)) return [];
      return [
        el('rect', {
          x: at + 1,
          y,
          width: width - 2,
          height: 24,
          fill: colourOf(palette, style),
          fillOpacity: 0.35,
        }),
        label(phase, { x: at + width / 2, y: y + 12, anchor: 'middle', fill: palette.text, size: 9.5 }),
      ];
    });
    return [label(name, { x: left - 8, y: y + 12, anchor: 'end', fill: palette.text2 }), ...boxes];
  });
  return { ...size, label: 'Phases of a connection, by role', nodes };
}
