import { formatNumber } from '@mqttlab/shared/format/number';
import { linearAxis, logAxis } from '../drawing/axis.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { label, line, marker, type Panel } from '../drawing/plot.ts';
import { drawRows, type NamedRow, rowBar } from '../drawing/rows.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { figureWidth } from '../drawing/treatments.ts';

interface BesideRow extends NamedRow {
  measured: { mark: number; value: number; lo?: number | null; hi?: number | null } | null;
  published: readonly number[];
}

interface BesideSpec {
  palette: Palette;
  rows: readonly BesideRow[];
  xLabel: string;
  isLog?: boolean;
  width?: number;
  /** What a reader who does not see it is told. */
  label: string;
  /** Only published values: no key of what is measured. */
  publishedOnly?: boolean;
  /** Bars from zero under what is measured; not on a logarithm. */
  bars?: boolean;
  /** The axis reaches at least to here, so that several figures share one scale. */
  upTo?: number;
}

/**
 * One line for each configuration: measured as filled markers with interval, published as hollow diamonds. Returns null
 * if nothing was measured, unless only published values are asked for.
 */
export function drawBeside(spec: BesideSpec): Picture | null {
  const { palette, rows, xLabel, isLog = false, publishedOnly = false, width = figureWidth } = spec;
  if (!publishedOnly && rows.every(({ measured }) => measured === null)) return null;
  const values = rows.flatMap(({ measured, published }) => {
    if (!measured) return published;
    const { value, lo, hi } = measured;
    return [...published, value, ...(isLog ? [] : [lo ?? value, hi ?? value])];
  });
  if (spec.upTo !== undefined) values.push(spec.upTo);
  return drawRows({
    palette,
    rows,
    width,
    xLabel,
    label: spec.label,
    x: isLog ? logAxis(values) : linearAxis(values, { zero: true, steps: width < 400 ? 3 : 5 }),
    top: publishedOnly ? 4 : 26,
    around: ({ area }) => (publishedOnly ? [] : key(spec, area.left)),
    // Published ones below what is measured, so that both are seen where they agree.
    draw: (row, y, panel) => [
      ...row.published.map((value) =>
        diamond(palette, { x: panel.x(value), y, tip: formatNumber(value, 5) }),
      ),
      ...drawMeasured(spec, row, { y, panel }),
    ],
  });
}

function drawMeasured(
  { palette, isLog = false, bars = false, xLabel }: BesideSpec,
  { label: name, measured }: BesideRow,
  { y, panel }: { y: number; panel: Panel },
): SvgNode[] {
  if (!measured) return [];
  const { mark, value, lo = null, hi = null } = measured;
  const fill = colourOf(palette, mark);
  const bar = bars && !isLog ? [rowBar([panel.x(0), panel.x(value)], y, { fill, opacity: 0.28 })] : [];
  const interval =
    lo !== null && hi !== null && (!isLog || lo > 0)
      ? [line({ from: [panel.x(lo), y], to: [panel.x(hi), y], stroke: palette.text, width: 1.25 })]
      : [];
  const tip = `${name}: ${formatNumber(value, 4)} ${xLabel}`;
  return [...bar, ...interval, marker(palette, mark, { x: panel.x(value), y, size: 3.2, tip })];
}

/** As the page draws what others published, everywhere. */
function diamond(palette: Palette, { x, y, tip }: { x: number; y: number; tip: string }): SvgNode {
  return el(
    'path',
    { d: `M${x} ${y - 6}l6 6l-6 6l-6 -6Z`, fill: palette.surface, stroke: palette.text, strokeWidth: 1.5 },
    [el('title', {}, [`published: ${tip}`])],
  );
}

function key({ palette, rows }: BesideSpec, left: number): SvgNode[] {
  const hasPublished = rows.some(({ published }) => published.length > 0);
  const hasInterval = rows.some(({ measured }) => typeof measured?.lo === 'number');
  const at = hasPublished ? left + 96 : left + 6;
  const published = [
    diamond(palette, { x: left + 6, y: 8, tip: 'hollow diamond' }),
    label('published', { x: left + 18, y: 8, fill: palette.text2 }),
  ];
  return [
    ...(hasPublished ? published : []),
    marker(palette, 1, { x: at, y: 8, size: 4 }),
    label(`measured here${hasInterval ? ', with 95 % interval' : ''}`, {
      x: at + 10,
      y: 8,
      fill: palette.text2,
    }),
  ];
}
