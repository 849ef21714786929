import type { ReportBootstrap } from '@mqttlab/shared/domain/report/report';
import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import { bareAxis, cropAxis, linearAxis, logAxis } from '../drawing/axis.ts';
import type { Figure, Plot } from '../drawing/figure.ts';
import { spreadLabels } from '../drawing/labels.ts';
import { bar, errorBar, label, pathThrough, rule } from '../drawing/marks.ts';
import { colourOf, type Palette, solidOf } from '../drawing/palette.ts';
import { makePanel, type Panel } from '../drawing/panel.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth, layOut } from '../drawing/treatments.ts';
import { columnsOf, type DocumentTable } from '../table.ts';

/** Number of values with lo <= value < hi. Bins may differ in width, as in an HDR histogram. */
export interface HistogramBin {
  lo: number;
  hi: number;
  count: number;
}

export interface Quantile {
  name: string;
  value: number;
}

export type HistogramScale = 'linear' | 'log';

export interface HistogramData {
  label: string;
  /** Unit of the bin bounds: "ms". */
  unit: string;
  /** Treatment whose colour is used. */
  treatmentIndex: number;
  bins: readonly HistogramBin[];
  /** Quantiles drawn as rules with their names. Callers omit quantiles with too few messages. */
  quantiles: readonly Quantile[];
  /** The largest value, which is marked even if it is beyond the axis. */
  maximum?: number;
  /** A step line for comparison: the mean of all runs, with counts scaled to this run. */
  reference?: { name: string; bins: readonly HistogramBin[] };
  scale?: HistogramScale;
  /** The counted items and the quantity on the axis: "messages" by "latency". */
  noun?: string;
  quantity?: string;
  heightPx?: number;
}

const binCount = 46;
const headPx = 44;

/** Describes the latency of single messages, with its quantiles. */
export function describeHistogram(palette: Palette, data: HistogramData): Figure {
  const { label: name, unit, treatmentIndex, bins, quantiles, maximum, reference } = data;
  const { scale = 'linear', noun = 'messages', quantity = 'latency', heightPx = 260 } = data;
  const range = histogramRange({ bins, quantiles, scale });
  const ends = { min: range.from, max: range.to };
  const isLog = scale === 'log';
  const x = cropAxis(
    isLog ? logAxis([range.from, range.to]) : linearAxis([range.from, range.to], { steps: 6 }),
    ends,
  );
  const shown = displayBins(bins, range, binCount);
  const steps = reference ? displayBins(reference.bins, range, binCount) : [];
  const highest = Math.max(1, ...[...shown, ...steps].map(({ count }) => count));
  const [first] = shown;
  const per = first && !isLog ? `${formatNumber(first.hi - first.lo, 2)} ${unit}` : 'log bin';
  const heads = [noun, `per ${per}`];
  const headEnd = Math.max(...heads.map((text) => textWidth(text)));
  return {
    label: name,
    finding: quantiles.map((one) => `${one.name} ${formatNumber(one.value)} ${unit}`).join(', '),
    heightPx,
    margins: { top: headPx, bottom: 36, left: 40, right: 6 },
    x,
    y: { ...linearAxis([0, highest], { steps: 4 }), format: formatCount },
    ground: {},
    hover: { axis: 'x', px: 10 },
    tips: shown.map(({ lo, hi, count }) => ({
      x: isLog ? Math.sqrt(lo * hi) : (lo + hi) / 2,
      y: count,
      tip: [`${formatNumber(lo)} to ${formatNumber(hi)} ${unit}`, `${formatCount(count)} ${noun}`],
    })),
    above: (plot) => [
      ...heads.map((text, i) => label(text, { x: 0, y: 8 + i * 14, fill: palette.text2 })),
      ...drawBins(plot, shown, { fill: solidOf(palette, treatmentIndex) }),
      el('path', {
        d: pathThrough(
          steps.flatMap(({ lo, hi, count }) => [lo, hi].map((at) => [plot.x(at), plot.y(count)] as const)),
        ),
        fill: 'none',
        stroke: palette.text2,
      }),
      label(`${quantity}, ${unit}${isLog ? ', logarithmic' : ''}`, {
        x: plot.area.right,
        y: plot.area.bottom + 28,
        anchor: 'end',
        fill: palette.text2,
      }),
      ...drawQuantiles(palette, plot, { quantiles, from: headEnd + 14 }),
      ...(reference && steps.length > 0 ? drawReferenceKey(palette, plot, reference.name) : []),
      ...(maximum === undefined ? [] : drawMaximum(palette, plot, maximum)),
    ],
  };
}

/** Draws one bar per non-empty bin, half a pixel apart. */
function drawBins(
  { x, y }: Panel,
  bins: readonly HistogramBin[],
  paint: { fill: string; fillOpacity?: number },
): SvgNode[] {
  return bins
    .filter(({ count }) => count > 0)
    .map(({ lo, hi, count }) => {
      const left = x(lo) + 0.5;
      const right = left + Math.max(1, x(hi) - x(lo) - 1);
      return bar({ left, right, top: y(0) - Math.max(1, y(0) - y(count)), bottom: y(0) }, paint);
    });
}

function drawQuantiles(
  palette: Palette,
  { x, area }: Plot,
  { quantiles, from }: { quantiles: readonly Quantile[]; from: number },
): SvgNode[] {
  const { left, right, top, bottom } = area;
  const halo = palette.surface;
  const places = spreadLabels(
    quantiles.map(({ value }) => x(value) + 5),
    { gap: 34, min: Math.max(left + 4, from), max: right - 26 },
  );
  return quantiles.flatMap(({ name, value }, i) => {
    const at = x(value);
    const labelX = places[i] ?? at;
    return [
      rule({ from: [at, top - 12], to: [at, bottom], stroke: palette.text }),
      rule({ from: [labelX - 5, 2], to: [at, top - 12], stroke: palette.text }),
      label(name, { x: labelX, y: 8, fill: palette.text2, halo }),
      label(formatNumber(value), { x: labelX, y: 22, weight: 600, fill: palette.text, halo }),
    ];
  });
}

function drawReferenceKey(palette: Palette, { area: { right, top, bottom } }: Plot, text: string): SvgNode[] {
  const y = (top + bottom) / 2;
  const end = right - textWidth(text);
  return [
    label(text, { x: right, y, anchor: 'end', fill: palette.text2, halo: palette.surface }),
    rule({ from: [end - 20, y], to: [end - 6, y], stroke: palette.text2 }),
  ];
}

function drawMaximum(palette: Palette, { x, area: { right, bottom } }: Plot, maximum: number): SvgNode[] {
  const at = x(maximum);
  const isBeyond = at > right;
  const text = `max ${formatNumber(maximum)}${isBeyond ? ', beyond the axis' : ''}`;
  const place = isBeyond
    ? { x: right, anchor: 'end' as const }
    : { x: Math.min(at, right - 24), anchor: 'middle' as const };
  return [
    label(text, { ...place, y: bottom - 16, fill: palette.text2, halo: palette.surface }),
    ...(isBeyond ? [] : [rule({ from: [at, bottom - 9], to: [at, bottom - 1], stroke: palette.text2 })]),
  ];
}

export interface HistogramRange {
  scale: HistogramScale;
  from: number;
  to: number;
}

/**
 * Returns bins of equal width on the selected axis, which is an equal ratio on a logarithmic axis. Counts are
 * distributed by overlap, so that their sum inside the range is preserved and unequal source bins do not
 * change the shape.
 */
export function displayBins(
  bins: readonly HistogramBin[],
  range: HistogramRange,
  count: number,
): HistogramBin[] {
  const { scale, from, to } = range;
  const place = (value: number) => (scale === 'log' ? Math.log(value) : value);
  const back = (position: number) => (scale === 'log' ? Math.exp(position) : position);
  const start = place(from);
  const step = (place(to) - start) / count;
  const shown = Array.from({ length: count }, (_, i) => ({
    lo: back(start + i * step),
    hi: back(start + (i + 1) * step),
    count: 0,
  }));
  for (const bin of bins) {
    if (bin.count === 0 || bin.hi <= from || bin.lo >= to) continue;
    const lo = place(Math.max(bin.lo, scale === 'log' ? from / 1e6 : bin.lo));
    const hi = place(bin.hi);
    const first = Math.max(0, Math.floor((lo - start) / step));
    const last = Math.min(count - 1, Math.floor((hi - start) / step));
    for (const [i, part] of shown.slice(first, last + 1).entries()) {
      const from = start + (first + i) * step;
      const overlap = Math.min(hi, from + step) - Math.max(lo, from);
      const share = hi > lo ? Math.max(0, overlap) / (hi - lo) : 1;
      part.count += bin.count * share;
    }
  }
  return shown;
}

/**
 * Returns a range that includes every quantile. A tail far beyond them is cut, and the chart then reports its
 * maximum.
 */
export function histogramRange({
  bins,
  quantiles,
  scale,
}: {
  bins: readonly HistogramBin[];
  quantiles: readonly Quantile[];
  scale: HistogramScale;
}): HistogramRange {
  const used = bins.filter((bin) => bin.count > 0);
  const lowest = Math.min(...used.map((bin) => bin.lo), Number.POSITIVE_INFINITY);
  const highest = Math.max(...used.map((bin) => bin.hi), 0);
  const top = Math.max(0, ...quantiles.map((quantile) => quantile.value));
  if (!(highest > 0)) return { scale, from: scale === 'log' ? 0.1 : 0, to: 1 };
  if (scale === 'log') {
    const from = Math.max(lowest, highest / 1e6);
    return { scale, from: from * 0.9, to: highest * 1.05 };
  }
  return { scale, from: 0, to: top > 0 ? Math.max(top * 1.1, Math.min(highest, top * 1.8)) : highest };
}

export function histogramTable({
  bins,
  quantiles,
  unit,
  noun = 'messages',
}: Pick<HistogramData, 'bins' | 'quantiles' | 'unit' | 'noun'>): DocumentTable {
  return {
    columns: columnsOf('What', ['From', unit], ['To', unit], {
      head: noun.charAt(0).toUpperCase() + noun.slice(1),
      format: (value) => formatNumber(value, 6),
    }),
    rows: [
      ...quantiles.map((quantile) => [quantile.name, quantile.value, quantile.value, null]),
      ...bins.filter((bin) => bin.count > 0).map((bin) => ['bin', bin.lo, bin.hi, bin.count]),
    ],
  };
}

const panelHeight = 120;

interface Resampled extends Pick<ReportBootstrap, 'treatment' | 'baseline' | 'unit' | 'distribution'> {
  runLevel: { lo: number | null; hi: number | null };
  published: { lo: number; hi: number } | null;
}

/** Draws resampled differences in one panel per treatment, with their interval and the interval over runs. */
export function drawBootstraps({ palette, find }: FigureContext, bootstraps: readonly Resampled[]): Picture {
  const places = layOut(bootstraps.length, {
    perRow: Math.min(3, bootstraps.length),
    panelHeight: panelHeight + 84,
    top: 62,
  });
  const x = linearAxis(
    bootstraps.flatMap(({ distribution, runLevel }) => [
      distribution?.from ?? 0,
      distribution?.to ?? 0,
      runLevel.lo ?? 0,
      runLevel.hi ?? 0,
    ]),
    { zero: true, steps: 4 },
  );
  const nodes: SvgNode[] = [];
  bootstraps.forEach((bootstrap, index) => {
    const place = places[index];
    if (!place || !bootstrap.distribution) return;
    const { from, to, counts } = bootstrap.distribution;
    const { mark, shortLabel } = find(bootstrap.treatment);
    const area = { ...place, bottom: place.top + panelHeight };
    const panel = makePanel({
      palette,
      area,
      x,
      y: bareAxis(0, Math.max(...counts) * 1.05),
      ...(place.isLast ? { xLabel: `difference, ${bootstrap.unit}` } : {}),
    });
    const step = (to - from) / counts.length;
    const bins = counts.map((count, bin) => ({ lo: from + bin * step, hi: from + (bin + 1) * step, count }));
    const zero = panel.x(0);
    nodes.push(
      label(shortLabel, { x: area.left, y: area.top - 50, fill: palette.text, weight: 600 }),
      label(`against ${find(bootstrap.baseline).shortLabel}`, {
        x: area.left,
        y: area.top - 36,
        fill: palette.text3,
      }),
      ...panel.ground,
      rule({ from: [zero, area.top - 24], to: [zero, area.bottom], stroke: palette.text3, dash: '3 3' }),
      ...drawBins(panel, bins, { fill: solidOf(palette, mark) }),
      ...bracket(bootstrap.runLevel, { at: area.top - 20, stroke: palette.text, x: panel.x }),
      ...bracket(bootstrap.published, { at: area.top - 8, stroke: colourOf(palette, mark), x: panel.x }),
    );
  });
  const bottom = Math.max(...places.map(({ top }) => top), 0) + panelHeight;
  return { width: figureWidth, height: bottom + 38, label: 'Bootstrap distribution of differences', nodes };
}

function bracket(
  interval: { lo: number | null; hi: number | null } | null,
  { at, stroke, x }: { at: number; stroke: string; x(value: number): number },
): SvgNode[] {
  if (!interval || interval.lo === null || interval.hi === null) return [];
  return [errorBar(stroke, { at: { y: at }, lo: x(interval.lo), hi: x(interval.hi), cap: 4, width: 2 })];
}
