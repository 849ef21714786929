import { formatNumber } from '@mqttlab/shared/format/number';
import { linearAxis } from '../drawing/axis.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { errorBar, label, legend, makePanel } from '../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';
import { figureWidth, layOut } from '../drawing/treatments.ts';

interface Bar {
  /** Of the legend. */
  mark: number;
  value: number;
  lo?: number | null;
  hi?: number | null;
  tip: string;
}

interface BarPanel {
  title: string;
  /** Bars beside each other over one name. */
  groups: readonly { label: string; bars: readonly Bar[] }[];
}

interface BarsSpec {
  palette: Palette;
  panels: readonly BarPanel[];
  legend: readonly { mark: number; text: string }[];
  yLabel: string;
  /** What a reader who does not see it is told. */
  label: string;
}

const panelHeight = 170;

/** Panels beside each other at most. */
const mostPerRow = 3;

/** Grouped bars with 95 % intervals, panels on one scale. Returns null without a bar. */
export function drawBars({ palette, panels, legend: names, yLabel, label: told }: BarsSpec): Picture | null {
  const keys = legend(palette, names, { left: 46, top: 0, right: figureWidth });
  const all = panels.flatMap(({ groups }) => groups.flatMap(({ bars }) => bars));
  if (all.length === 0) return null;
  const y = linearAxis(
    all.flatMap(({ value, lo, hi }) => [value, Math.min(hi ?? value, value * 2), Math.max(0, lo ?? value)]),
    { zero: true },
  );
  const lines = Math.max(
    ...panels.flatMap(({ groups }) => groups.map(({ label: name }) => linesOf(name).length)),
  );
  const below = 26 + lineHeight * lines;
  const layouts = [mostPerRow, 2, 1].map((most) =>
    layOut(panels.length, {
      perRow: Math.min(most, panels.length),
      panelHeight: panelHeight + below + 26,
      top: keys.height + 28,
    }),
  );
  const places = layouts.find((layout) => areLabelsApart(panels, layout)) ?? layouts.at(-1) ?? [];
  const nodes: SvgNode[] = [...keys.nodes];
  panels.forEach(({ title, groups }, index) => {
    const place = places[index];
    if (!place) return;
    const area = { ...place, bottom: place.top + panelHeight };
    const panel = makePanel({
      palette,
      area,
      y,
      title,
      hidesY: !place.isFirst,
      x: { min: 0, max: 1, ticks: [], isLog: false, format: String },
      ...(index === 0 ? { yLabel } : {}),
    });
    nodes.push(...panel.ground);
    const groupWidth = (area.right - area.left) / Math.max(1, groups.length);
    groups.forEach(({ label: name, bars }, place_) => {
      const centre = area.left + groupWidth * (place_ + 0.5);
      const width = Math.min(26, (groupWidth * 0.82) / Math.max(1, bars.length));
      bars.forEach((bar, at) => {
        const x = centre + (at - (bars.length - 1) / 2) * width;
        nodes.push(...drawBar({ palette, bar, x, width }, panel.y));
      });
      linesOf(name).forEach((text, at) => {
        const y = area.bottom + 14 + lineHeight * at;
        nodes.push(label(text, { x: centre, y, anchor: 'middle', fill: palette.text2 }));
      });
    });
  });
  const bottom = Math.max(...places.map(({ top }) => top), 0) + panelHeight;
  return { width: figureWidth, height: bottom + below, label: told, nodes };
}

const lineHeight = 14;

/** The parts of a name below each other. */
function linesOf(name: string): string[] {
  return name.split(' · ');
}

/** Returns true if the names of neighbouring groups do not touch. */
function areLabelsApart(
  panels: readonly BarPanel[],
  places: readonly { left: number; right: number }[],
): boolean {
  return panels.every(({ groups }, index) => {
    const place = places[index];
    const room = place ? (place.right - place.left) / Math.max(1, groups.length) : 0;
    return groups.every(({ label: name }) => linesOf(name).every((text) => textWidth(text) + 6 <= room));
  });
}

interface Placed {
  palette: Palette;
  bar: Bar;
  x: number;
  width: number;
}

function drawBar({ palette, bar, x, width }: Placed, y: (value: number) => number): SvgNode[] {
  const [top, zero] = [y(bar.value), y(0)];
  const { lo = null, hi = null } = bar;
  return [
    el(
      'rect',
      {
        x: x - width / 2 + 1,
        y: Math.min(top, zero),
        width: width - 2,
        height: Math.max(0.5, Math.abs(zero - top)),
        fill: colourOf(palette, bar.mark),
        fillOpacity: 0.55,
      },
      [el('title', {}, [`${bar.tip}: ${formatNumber(bar.value)}`])],
    ),
    // An interval of few runs may reach twice the bar and would flatten all others: the table has it.
    ...(lo !== null && hi !== null && lo < hi && hi <= 2 * bar.value
      ? [errorBar(palette.text, { x, lo: y(Math.max(0, lo)), hi: y(hi) })]
      : []),
  ];
}
