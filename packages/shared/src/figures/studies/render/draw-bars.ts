import { formatNumber } from '../../../format/number.ts';
import { linearAxis } from '../../drawing/axis.ts';
import { colourOf, type Palette } from '../../drawing/palette.ts';
import { errorBar, label, legend, makePanel } from '../../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../../drawing/svg.ts';
import { figureWidth, layOut } from '../../drawing/treatments.ts';

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

/** Grouped bars with 95 % intervals, one panel beside the other on one scale. */
export function drawBars({ palette, panels, legend: names, yLabel, label: told }: BarsSpec): Picture {
  const keys = legend(palette, names, { left: 46, top: 0, right: figureWidth });
  const all = panels.flatMap(({ groups }) => groups.flatMap(({ bars }) => bars));
  const y = linearAxis(
    all.flatMap(({ value, lo, hi }) => [value, Math.min(hi ?? value, value * 2), Math.max(0, lo ?? value)]),
    { zero: true },
  );
  const perRow = Math.min(3, panels.length);
  const places = layOut(panels.length, { perRow, panelHeight: panelHeight + 64, top: keys.height + 28 });
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
      nodes.push(label(name, { x: centre, y: area.bottom + 14, anchor: 'middle', fill: palette.text2 }));
    });
  });
  const bottom = Math.max(...places.map(({ top }) => top), 0) + panelHeight;
  return { width: figureWidth, height: bottom + 30, label: told, nodes };
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
    // An interval over two runs may reach twice the bar: then it says nothing and would flatten all bars.
    ...(lo !== null && hi !== null && lo < hi && hi <= 2 * bar.value
      ? [errorBar(palette.text, { x, lo: y(Math.max(0, lo)), hi: y(hi) })]
      : []),
  ];
}
