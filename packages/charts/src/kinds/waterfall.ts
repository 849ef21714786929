import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { displayUnit } from '@mqttlab/shared/format/unit';
import { type Axis, bareAxis, niceAxis, rowAxis } from '../drawing/axis.ts';
import type { Figure, Plot } from '../drawing/figure.ts';
import { bar, label, rule } from '../drawing/marks.ts';
import { colourOf, type Palette, solidOf } from '../drawing/palette.ts';
import type { SvgNode } from '../drawing/svg.ts';
import { textWidth, widest } from '../drawing/text-width.ts';
import { columnsOf, type DocumentTable } from '../table.ts';

export interface WaterfallData {
  label: string;
  treatmentIndex: number;
  phases: readonly PhaseCost[];
  /** Quantity shown by the bars. All measured quantities are written on the right, this one in bold. */
  quantity: PhaseQuantity;
}

const headPx = 24;
const axisPx = 24;
const columnGap = 20;
/** Width below which only the column of the selected quantity is shown. */
const widePx = 520;
/** The gap of the broken axis, as a share of its width. */
const breakShare = 0.05;

/** A column of values on the right. `fromRight` is the distance of its end from the right edge. */
interface Column {
  quantity: Quantity;
  isChosen: boolean;
  fromRight: number;
}

/** Describes phases in sequence on a broken axis, with set-up next to load, each on a separate scale. */
export function describeWaterfall(palette: Palette, data: WaterfallData, width: number): Figure {
  const { label: name, treatmentIndex, phases, quantity } = data;
  const isWide = width >= widePx;
  const looks = measuredQuantities(phases);
  const chosen = looks.find((one) => one.key === quantity) ?? looks[0];
  const { parts, bars } = chosen ? makeWaterfall(phases, chosen) : { parts: [], bars: [] };
  const rowPx = isWide ? 32 : 28;
  let right = 0;
  const columns = looks
    .filter((look) => isWide || look === chosen)
    .toReversed()
    .map((look): Column => {
      const texts = [look.head, ...phases.map((phase) => phaseText(phase, look))];
      const fromRight = right;
      right += widest(texts.map((text) => textWidth(text, { weight: 600 }))) + columnGap;
      return { quantity: look, isChosen: look === chosen, fromRight };
    });
  const solid = solidOf(palette, treatmentIndex);
  const stroke = colourOf(palette, treatmentIndex);
  return {
    label: name,
    heightPx: headPx + bars.length * rowPx + axisPx,
    margins: {
      top: headPx,
      bottom: axisPx,
      left: widest(phases.map((phase) => textWidth(phase.name, { weight: 500 }))) + 16,
      right,
    },
    x: bareAxis(0, 1),
    y: rowAxis(bars.length),
    ground: null,
    hover: { axis: 'y', px: 16 },
    tips: bars.map(({ phase, from, to }, y) => ({
      x: partPosition(parts, phase.part, (from + to) / 2),
      y,
      tip: [phase.name, ...looks.map((one) => `${one.head}: ${phaseText(phase, one)}`)],
    })),
    above: (plot) => {
      const row = (text: (quantity: Quantity) => string, y: number, fill: string) =>
        columns.map(({ quantity: one, isChosen, fromRight }) =>
          label(text(one), {
            x: plot.width - fromRight,
            y,
            anchor: 'end',
            weight: isChosen ? 600 : 400,
            fill: isChosen ? palette.text : fill,
          }),
        );
      const drawn = bars.flatMap(({ phase, from, to }, i): SvgNode[] => {
        const y = plot.y(i);
        const x = (value: number) => plot.x(partPosition(parts, phase.part, value));
        const left = x(from);
        const area = { left, right: Math.max(left + 2, x(to)), top: y - 7, bottom: y + 7 };
        return [
          ...(i > 0 ? [across(plot, y - rowPx / 2, palette.grid)] : []),
          label(phase.name, { x: 0, y, weight: 500, fill: palette.text }),
          ...row((one) => phaseText(phase, one), y, palette.text2),
          ...(to > from ? [bar(area, { rx: 1, fill: solid, stroke })] : []),
        ];
      });
      return [
        ...drawAxes(palette, plot, parts),
        ...drawn,
        label('Phase', { x: 0, y: 8, fill: palette.text3 }),
        ...row(({ head }) => head, 8, palette.text3),
      ];
    },
  };
}

/** Returns the position of a value of one part on the whole broken axis, 0 to 1. */
function partPosition(parts: readonly WaterfallPart[], name: WaterfallPart['name'], value: number): number {
  const i = Math.max(
    0,
    parts.findIndex((part) => part.name === name),
  );
  const part = parts[i];
  if (!part) return 0;
  const width = parts.length > 1 ? (1 - breakShare) / 2 : 1;
  return i * (width + breakShare) + (value / part.axis.max) * width;
}

function across({ width }: Plot, y: number, stroke: string): SvgNode {
  return rule({ from: [0, y], to: [width, y], stroke });
}

function drawAxes(palette: Palette, plot: Plot, parts: readonly WaterfallPart[]): SvgNode[] {
  const { top, bottom } = plot.area;
  const axes = parts.flatMap(({ name, unit, axis }) => {
    const x = (value: number) => plot.x(partPosition(parts, name, value));
    return [
      label(`${name}, ${unit}`, { x: x(0), y: 8, fill: palette.text3 }),
      ...axis.ticks.flatMap((tick) => [
        rule({
          from: [x(tick), top],
          to: [x(tick), bottom],
          stroke: tick === 0 ? palette.axis : palette.grid,
        }),
        label(axis.format(tick), {
          x: x(tick),
          y: bottom + 12,
          anchor: tick === 0 ? 'start' : tick === axis.max ? 'end' : 'middle',
          fill: palette.text3,
        }),
      ]),
    ];
  });
  const edges = [top, bottom].map((y) => across(plot, y, palette.axis));
  const gap = (1 - breakShare) / 2 + breakShare / 2;
  return [...axes, ...edges, ...(parts.length > 1 ? drawBreak(palette, plot, plot.x(gap)) : [])];
}

function drawBreak(palette: Palette, { area }: Plot, at: number): SvgNode[] {
  return [area.top, area.bottom].flatMap((y) => [
    bar({ left: at - 4, right: at + 4, top: y - 3, bottom: y + 3 }, { fill: palette.surface }),
    ...[at - 3, at + 2].map((x) => rule({ from: [x - 1, y + 5], to: [x + 2, y - 5], stroke: palette.text3 })),
  ]);
}

/** One phase of a run on one device; null if not measured. */
export interface PhaseCost {
  name: string;
  /** Set-up and load have separate axes, in milliseconds and seconds. */
  part: 'set-up' | 'load';
  timeMs: number | null;
  cpuMs: number | null;
  bytes: number | null;
  energyJ: number | null;
}

export type PhaseQuantity = 'time' | 'cpu' | 'bytes' | 'energy';

interface Quantity {
  key: PhaseQuantity;
  head: string;
  unit: string;
  read: (phase: PhaseCost) => number | null;
}

export const PHASE_QUANTITIES: readonly Quantity[] = [
  { key: 'time', head: 'Time', unit: 'ms', read: (phase) => phase.timeMs },
  { key: 'cpu', head: 'CPU time', unit: 'ms', read: (phase) => phase.cpuMs },
  { key: 'bytes', head: 'Bytes', unit: 'B', read: (phase) => phase.bytes },
  { key: 'energy', head: 'Energy', unit: 'J', read: (phase) => phase.energyJ },
];

/** Returns the quantities that at least one phase has. */
export function measuredQuantities(phases: readonly PhaseCost[]): Quantity[] {
  return PHASE_QUANTITIES.filter(({ read }) => phases.some((phase) => read(phase) !== null));
}

interface WaterfallPart {
  name: 'set-up' | 'load';
  unit: string;
  axis: Axis;
}

interface WaterfallBar {
  phase: PhaseCost;
  /** Position in the part's display unit, from the start of the part. */
  from: number;
  to: number;
}

interface Waterfall {
  parts: readonly WaterfallPart[];
  bars: readonly WaterfallBar[];
}

/**
 * Arranges the bars, each starting at the end of the previous one. Set-up and load each start at zero, in
 * separate units.
 */
export function makeWaterfall(phases: readonly PhaseCost[], look: Quantity): Waterfall {
  const bars: WaterfallBar[] = [];
  const parts = (['set-up', 'load'] as const).flatMap((name): WaterfallPart[] => {
    const own = phases.filter((phase) => phase.part === name);
    if (own.length === 0) return [];
    const total = own.reduce((sum, phase) => sum + (look.read(phase) ?? 0), 0);
    const display = displayUnit(total, look.unit);
    let at = 0;
    for (const phase of own) {
      const to = at + (look.read(phase) ?? 0) * display.multiplier;
      bars.push({ phase, from: at, to });
      at = to;
    }
    return [
      { name, unit: display.unit, axis: niceAxis({ min: 0, max: total * display.multiplier, steps: 4 }) },
    ];
  });
  return { parts, bars };
}

/** Returns "48.6 ms" or "2.21 kB", or an en dash if not measured or if no byte was sent. */
export function phaseText(phase: PhaseCost, look: Quantity): string {
  const value = look.read(phase);
  return value === null ? '\u2013' : formatQuantity(value, look.unit);
}

export function waterfallTable(phases: readonly PhaseCost[]): DocumentTable {
  const looks = measuredQuantities(phases);
  return {
    columns: columnsOf('Phase', 'Part', ...looks.map(({ head, unit }) => [head, unit] as const)),
    rows: phases.map((phase) => [phase.name, phase.part, ...looks.map((look) => look.read(phase))]),
  };
}
