import type { ReportPhases } from '@mqttlab/shared/domain/report/report';
import { setUpPhases } from '@mqttlab/shared/domain/runs/statuses';
import { formatNumber } from '@mqttlab/shared/format/number';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { type Axis, rowAxis, tightAxis } from '../drawing/axis.ts';
import { drawFigure, type Figure, type Plot } from '../drawing/figure.ts';
import { bar, errorBar, label } from '../drawing/marks.ts';
import { colourOf, fillOf, type Palette, solidOf } from '../drawing/palette.ts';
import type { Picture, SvgNode } from '../drawing/svg.ts';
import { shorten, textWidth, widest } from '../drawing/text-width.ts';
import type { FigureContext } from '../drawing/treatments.ts';
import { columnsOf, type DocumentTable } from '../table.ts';

export interface StackedBar {
  name: string;
  /** Heading, written above the first of neighbouring bars that share it. */
  group?: string;
  /** Values in the order of the parts; null if unknown. */
  parts: readonly (number | null)[];
  /** 95 % interval of the sum. */
  interval?: readonly [lo: number, hi: number] | null;
}

export interface StackedBars {
  parts: readonly string[];
  bars: readonly StackedBar[];
}

export interface StackData {
  label: string;
  unit: string;
  data: StackedBars;
  /** Treatment to which all bars belong. Up to three parts are drawn strong, tinted and outlined. */
  treatmentIndex?: number;
  /** Style of each part, if bars belong to different treatments; by default the styles of phases. */
  styles?: readonly number[];
  /** Position of the bar names; above the bars if the names are long. */
  names?: 'left' | 'above';
}

const rowPx = 30;
/** Row height with the name above the bar. */
const namedRowPx = 44;
const groupPx = 24;
const axisPx = 22;
const keyPx = 26;
const maxNamePx = 300;
/** Styles of parts. A part has the same style in every chart, and none has the baseline's style. */
const partStyles = [7, 2, 6, 4, 5, 8];

/** Returns the style of a part by its position in the full list of parts. */
export function partStyleOf(parts: readonly string[], name: string): number {
  return partStyles[Math.max(0, parts.indexOf(name)) % partStyles.length] ?? 1;
}

export function totalOf({ parts }: StackedBar): number {
  return parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
}

/** Returns an axis from zero that includes sums and their intervals. */
export function stackedAxis({ bars }: StackedBars): Axis {
  const ends = bars.map((one) => Math.max(totalOf(one), one.interval?.[1] ?? 0));
  return tightAxis({ min: 0, max: Math.max(1, ...ends) * 1.02, steps: 5 });
}

/** Describes horizontal bars from zero, with their parts end to end and the sum on the right. */
export function describeStacks(palette: Palette, stack: StackData): Figure {
  const { label: name, unit, treatmentIndex, data, styles = partStyles } = stack;
  const { names = treatmentIndex === undefined ? 'above' : 'left' } = stack;
  const isAbove = names === 'above';
  const paints =
    treatmentIndex === undefined
      ? styles.map((style) => ({ fill: solidOf(palette, style), stroke: colourOf(palette, style) }))
      : [solidOf(palette, treatmentIndex), fillOf(palette, treatmentIndex), palette.surface].map((fill) => ({
          fill,
          stroke: colourOf(palette, treatmentIndex),
        }));
  const paintOf = (part: number) => paints[part % paints.length] ?? { fill: palette.surface };
  const sumOf = (one: StackedBar) =>
    one.parts.every((part) => part === null) ? 'unknown' : formatQuantity(totalOf(one), unit);
  const namesPx = widest(data.bars.map((one) => textWidth(one.name, { weight: 500 })));
  const left = isAbove ? 2 : Math.min(maxNamePx, namesPx) + 12;
  const lines = stackLines(data.bars, isAbove ? namedRowPx : rowPx);
  const end = lines.at(-1);
  const height = end ? end.top + end.px : 0;

  const drawBar = (one: StackedBar, middle: number, plot: Plot): SvgNode[] => {
    const y = middle + (isAbove ? 8 : 0);
    let from = 0;
    const parts = one.parts.flatMap((value, part) => {
      if (value === null || value <= 0) return [];
      const left = plot.x(from);
      from += value;
      const tip = `${data.parts[part]}: ${formatNumber(value)} ${unit}`;
      return [bar({ left, right: plot.x(from), top: y - 9, bottom: y + 9 }, paintOf(part), tip)];
    });
    const [lo, hi] = one.interval ?? [0, 0];
    return [
      label(namesPx > maxNamePx ? shorten(one.name, maxNamePx) : one.name, {
        x: isAbove ? left + 5 : 0,
        y: isAbove ? y - 19 : y,
        weight: 500,
        fill: palette.text,
      }),
      ...parts,
      ...(hi > lo ? [errorBar(palette.text, { at: { y }, lo: plot.x(lo), hi: plot.x(hi) })] : []),
      label(sumOf(one), { x: plot.width, y, anchor: 'end', weight: 600, fill: palette.text }),
    ];
  };

  return {
    label: name,
    heightPx: keyPx + height + axisPx,
    margins: {
      top: keyPx,
      bottom: axisPx,
      left,
      right: widest(data.bars.map((one) => textWidth(sumOf(one), { weight: 600 }))) + 14,
    },
    x: stackedAxis(data),
    y: { ...rowAxis(1), min: height, max: 0 },
    ground: { xGrid: true, xUnit: unit },
    hover: { axis: 'y', px: 14 },
    tips: lines.flatMap((line) => {
      if (line.kind === 'group') return [];
      const { stack: one, top, px } = line;
      const parts = data.parts.map((part, k) => `${part}: ${formatQuantity(one.parts[k] ?? 0, unit)}`);
      return [{ x: totalOf(one) / 2, y: top + px / 2, tip: [one.name, ...parts] }];
    }),
    above: (plot) => [
      ...drawKey(palette, data.parts, { left, right: plot.width, paintOf }),
      ...lines.flatMap((line): SvgNode[] => {
        const y = plot.y(line.top + line.px / 2);
        if (line.kind === 'bar') return drawBar(line.stack, y, plot);
        const ground = { left: 0, right: plot.width, top: y - groupPx / 2, bottom: y + groupPx / 2 };
        return [
          bar(ground, { fill: palette.surface }),
          label(line.text, { x: 0, y, weight: 600, fill: palette.text }),
        ];
      }),
    ],
  };
}

type StackLine = { top: number; px: number } & (
  | { kind: 'group'; text: string }
  | { kind: 'bar'; stack: StackedBar }
);

/** Returns headings and bars from the top down, with their positions in px. */
function stackLines(bars: readonly StackedBar[], barPx: number): StackLine[] {
  let top = 0;
  return bars.flatMap((stack, i): StackLine[] => {
    const lines: StackLine[] = [];
    if (stack.group !== undefined && stack.group !== bars[i - 1]?.group) {
      lines.push({ kind: 'group', text: stack.group, top, px: groupPx });
      top += groupPx;
    }
    lines.push({ kind: 'bar', stack, top, px: barPx });
    top += barPx;
    return lines;
  });
}

interface KeyPlace {
  left: number;
  right: number;
  paintOf(part: number): { fill: string };
}

function drawKey(palette: Palette, parts: readonly string[], { left, right, paintOf }: KeyPlace): SvgNode[] {
  const widths = parts.map((part) => 34 + textWidth(part));
  let x = Math.max(0, Math.min(left, right - widths.reduce((sum, width) => sum + width, 0)));
  return parts.flatMap((part, i) => {
    const at = x;
    x += widths[i] ?? 0;
    return [
      bar({ left: at + 1, right: at + 13, top: 4, bottom: 14 }, paintOf(i)),
      label(part, { x: at + 18, y: 9, fill: palette.text2 }),
    ];
  });
}

export function stackedTable(
  { parts, bars }: StackedBars,
  { head, unit }: { head: string; unit: string },
): DocumentTable {
  return {
    columns: columnsOf(head, ...parts.map((part) => [part, unit] as const), ['Sum', unit]),
    rows: bars.map((one) => [one.name, ...one.parts, totalOf(one)]),
  };
}

const phaseWords: Readonly<Record<string, string>> = {
  tcp: 'TCP handshake',
  tls: 'TLS handshake',
  connect: 'MQTT CONNECT',
  subscribe: 'MQTT SUBSCRIBE',
};

/** Returns the name of a phase in keys and tables. */
export function phaseWord(phase: string): string {
  return phaseWords[phase] ?? phase;
}

/** Draws the phases of the connection set-up end to end, as means over runs. */
export function drawPhases(context: FigureContext, phases: readonly ReportPhases[]): Picture {
  const { palette, name } = context;
  const shown = setUpPhases.filter((phase) =>
    phases.some((one) => one.phases.some((own) => own.phase === phase)),
  );
  const bars = phases.map(({ treatment, phases: own }): StackedBar => {
    const parts = shown.map((phase) => own.find((one) => one.phase === phase)?.ms ?? null);
    const total = parts.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
    return { name: name(treatment), parts, interval: setUpInterval(context, treatment, total) };
  });
  const stack: StackData = {
    label: 'Connection set-up by phase',
    unit: 'ms',
    names: 'left',
    data: { parts: shown.map(phaseWord), bars },
  };
  return drawFigure(describeStacks(palette, stack), palette);
}

/**
 * Returns the interval of the whole set-up over runs, if the metric of that name is the sum of these phases.
 */
function setUpInterval({ report }: FigureContext, treatment: string, total: number): [number, number] | null {
  const estimates = report.responses.find(({ metric }) => metric === 'setUp.total')?.estimates;
  const { mean = null, lo = null, hi = null } = estimates?.find((one) => one.treatment === treatment) ?? {};
  if (mean === null || lo === null || hi === null || Math.abs(mean - total) > 0.01 * total) return null;
  // A t interval from few runs can include negative values, which are impossible for a duration.
  return [Math.max(0, lo), hi];
}
