import { titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { formatNumber } from '@mqttlab/shared/format/number';
import { bareAxis, canBeLog, linearAxis, logAxis } from '../drawing/axis.ts';
import { bar, dot, errorBar, label, legend, line, published, rule } from '../drawing/marks.ts';
import { colourOf, fillOf, type Palette } from '../drawing/palette.ts';
import { makePanel, type Panel } from '../drawing/panel.ts';
import { rowNames } from '../drawing/row-names.ts';
import type { Picture, SvgNode } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth } from '../drawing/treatments.ts';

export interface DotRow {
  label: string;
  /** Heading, written above the first of neighbouring rows that share it. */
  group?: string | undefined;
  measured: { mark: number; value: number; lo?: number | null; hi?: number | null } | null;
  published: readonly number[];
}

interface DotData {
  palette: Palette;
  rows: readonly DotRow[];
  xLabel: string;
  isLog?: boolean;
  width?: number;
  /** Text alternative. */
  label: string;
  /** Whether only published values are drawn, without a legend for measured values. */
  publishedOnly?: boolean;
  /** Whether bars from zero are drawn behind the measured values; not on a logarithmic axis. */
  bars?: boolean;
  /** Minimum end value of the axis, for several figures on one scale. */
  upTo?: number;
}

const rowHeight = 20;
const keyHeight = 26;
/** Gap between names and panel, in px. */
const nameGap = 10;

/**
 * Draws a line for each configuration, with measured values as filled markers with their interval and
 * published values as hollow diamonds. Returns null if nothing was measured, unless only published values are
 * requested.
 */
export function drawDots(data: DotData): Picture | null {
  const { palette, rows, xLabel, isLog = false, publishedOnly = false, width = figureWidth } = data;
  if (!publishedOnly && rows.every(({ measured }) => measured === null)) return null;
  const values = rows.flatMap(({ measured, published: printed }) => {
    if (!measured) return printed;
    const { value, lo, hi } = measured;
    return [...printed, value, ...(isLog ? [] : [lo ?? value, hi ?? value])];
  });
  if (data.upTo !== undefined) values.push(data.upTo);
  const starts = rows.map(({ group }, index) => group !== undefined && group !== rows[index - 1]?.group);
  const left = Math.min(width * 0.5, Math.max(60, ...rows.map((row) => textWidth(row.label))) + 14);
  const top = publishedOnly ? 4 : keyHeight;
  const bottom = top + (rows.length + starts.filter(Boolean).length) * rowHeight + 4;
  const panel = makePanel({
    palette,
    area: { left, right: width - 12, top, bottom },
    x: isLog ? logAxis(values) : linearAxis(values, { zero: true, steps: width < 400 ? 3 : 5 }),
    y: bareAxis(0, 1),
    xGrid: true,
    xLabel: `${xLabel}${isLog ? ' (logarithmic)' : ''}`,
  });
  const nodes = [...(publishedOnly ? [] : drawKey(data, left)), ...panel.ground];
  let y = top + 4 + rowHeight / 2;
  rows.forEach((row, index) => {
    if (starts[index] && row.group !== undefined) {
      nodes.push(label(row.group, { x: 0, y, fill: palette.text, weight: 600 }));
      y += rowHeight;
    }
    nodes.push(
      label(row.label, { x: left - nameGap, y, anchor: 'end', fill: palette.text2 }),
      // Published values are drawn below measured values, so that both are visible if they agree.
      ...row.published.map((value) =>
        published(palette, { x: panel.x(value), y, tip: `published: ${formatNumber(value, 5)}` }),
      ),
      ...drawMeasured(data, row, { y, panel }),
    );
    y += rowHeight;
  });
  return { width, height: bottom + 38, label: data.label, nodes };
}

function drawMeasured(
  { palette, isLog = false, bars = false, xLabel }: DotData,
  { label: name, measured }: DotRow,
  { y, panel }: { y: number; panel: Panel },
): SvgNode[] {
  if (!measured) return [];
  const { mark, value, lo = null, hi = null } = measured;
  const x = panel.x(value);
  const box = { left: panel.x(0), right: x, top: y - 7, bottom: y + 7 };
  const hasInterval = lo !== null && hi !== null && (!isLog || lo > 0);
  return [
    ...(bars && !isLog
      ? [bar(box, { fill: fillOf(palette, mark), stroke: colourOf(palette, mark), strokeWidth: 1 })]
      : []),
    ...(hasInterval
      ? [rule({ from: [panel.x(lo), y], to: [panel.x(hi), y], stroke: palette.text, width: 1.25 })]
      : []),
    dot(palette, mark, { x, y, size: 3.2, tip: `${name}: ${formatNumber(value, 4)} ${xLabel}` }),
  ];
}

function drawKey({ palette, rows }: DotData, left: number): SvgNode[] {
  const hasPublished = rows.some((row) => row.published.length > 0);
  const hasInterval = rows.some(({ measured }) => typeof measured?.lo === 'number');
  const x = hasPublished ? left + 96 : left + 6;
  const y = 8;
  return [
    ...(hasPublished
      ? [
          published(palette, { x: left + 6, y, tip: 'published: hollow diamond' }),
          label('published', { x: left + 18, y, fill: palette.text2 }),
        ]
      : []),
    dot(palette, 1, { x, y, size: 4 }),
    label(`measured here${hasInterval ? ', with 95 % interval' : ''}`, { x: x + 10, y, fill: palette.text2 }),
  ];
}

/**
 * Returns true if effects are ratios, tested on the log scale, so that factors multiply without interaction.
 */
export function isMultiplied({ effects, estimates }: ReportResponse): boolean {
  return effects.every(({ scale }) => scale === 'ratio') && canBeLog(endsOf(estimates));
}

function endsOf(estimates: ReportResponse['estimates']): number[] {
  return estimates.flatMap(({ mean, lo, hi }) => [mean, lo, hi].flatMap((end) => end ?? []));
}

/** Gap between the dots of neighbouring colours in a row, in px. */
const maxDodge = 9;

/**
 * Draws means over the rows, with one line for each colour, on the scale that is used to test the effects.
 * Lines that are not parallel show an interaction.
 */
export function drawInteraction(context: FigureContext, response: ReportResponse): Picture {
  const { palette, rows, colours, find } = context;
  const left = 50;
  const keys = legend(palette, colours, { left, top: 0, right: figureWidth });
  const top = keys.height + 22;
  const ends = endsOf(response.estimates);
  const panel = makePanel({
    palette,
    area: { left, right: figureWidth - 8, top, bottom: top + 220 },
    x: bareAxis(-0.5, rows.length - 0.5),
    y: isMultiplied(response) ? logAxis(ends) : linearAxis(ends),
    yLabel: `${titleOf(response)}, ${response.unit}`,
  });
  const dodge = Math.min(maxDodge, ((panel.x(1) - panel.x(0)) * 0.8) / colours.length);
  const drawn = colours.flatMap(({ text, mark }, place): SvgNode[] => {
    const points = rows.map((row, index) => {
      const estimate = response.estimates.find(({ treatment }) => {
        const { rowLabel, colourLabel } = find(treatment);
        return rowLabel === row && colourLabel === text;
      });
      if (!estimate || estimate.mean === null) return null;
      const x = panel.x(index) + (place - (colours.length - 1) / 2) * dodge;
      return { ...estimate, x, y: panel.y(estimate.mean) };
    });
    return [
      line(
        palette,
        mark,
        points.map((point) => point && [point.x, point.y]),
      ),
      ...points.flatMap((point) => {
        if (!point) return [];
        const { x, y, lo, hi } = point;
        const mean = dot(palette, mark, { x, y, size: 4 });
        if (lo === null || hi === null) return [mean];
        return [errorBar(colourOf(palette, mark), { at: { x }, lo: panel.y(lo), hi: panel.y(hi) }), mean];
      }),
    ];
  });
  const names = rowNames(context, panel.area);
  return {
    width: figureWidth,
    height: panel.area.bottom + names.height,
    label: `${response.label} by treatment`,
    nodes: [...keys.nodes, ...panel.ground, ...drawn, ...names.nodes],
  };
}
