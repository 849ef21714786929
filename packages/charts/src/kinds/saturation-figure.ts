import { titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportSaturation } from '@mqttlab/shared/domain/report/report';
import { cropAxis, linearAxis } from '../drawing/axis.ts';
import type { Palette } from '../drawing/palette.ts';
import { band, curve, label, legend, makePanel, marker, type Panel } from '../drawing/plot.ts';
import type { Picture, SvgNode } from '../drawing/svg.ts';
import { type FigureContext, figureWidth, layOut } from '../drawing/treatments.ts';

const panelHeight = 190;
/** More bands than this on one another cannot be told apart: then each has a panel. */
const maxTogether = 2;

/** Runs over a numeric factor with their fitted lines and 95 % bands; all panels are on one scale. */
export function drawSaturation(
  { palette }: Pick<FigureContext, 'palette'>,
  fits: readonly ReportSaturation[],
): Picture {
  const isOneColour = fits.length > 1 && fits.every(({ mark }) => mark === fits[0]?.mark);
  const drawn = fits.map((fit, index) => ({ ...fit, mark: isOneColour ? index + 1 : fit.mark }));
  const panels = drawn.length > maxTogether ? drawn.map((fit) => [fit]) : [drawn];
  const keys =
    panels.length > 1
      ? { nodes: [], height: 0 }
      : legend(
          palette,
          drawn.map(({ mark, group }) => ({ mark, text: group })),
          { left: 46, top: 0, right: figureWidth },
        );
  const [first] = drawn;
  const places = layOut(panels.length, {
    perRow: panels.length === 4 ? 2 : 3,
    panelHeight: panelHeight + 62,
    top: keys.height + (panels.length > 1 ? 40 : 22),
  });
  const x = paddedAxis(drawn.flatMap(({ points }) => points.map((point) => point.x)));
  const y = linearAxis(
    drawn.flatMap(({ points, band: own }) => [
      ...points.map((point) => point.y),
      ...own.flatMap(({ lo, hi }) => [lo, hi]),
    ]),
  );
  const nodes: SvgNode[] = [
    ...keys.nodes,
    label(first ? `${titleOf(first)}, ${first.unit}` : '', {
      x: 46,
      y: keys.height + 10,
      fill: palette.text3,
    }),
  ];
  panels.forEach((own, index) => {
    const place = places[index];
    if (!place) return;
    const panel = makePanel({
      palette,
      x,
      y,
      area: { ...place, bottom: place.top + panelHeight },
      ...(panels.length > 1 ? { title: own[0]?.group ?? '' } : {}),
      hidesY: !place.isFirst,
      ...(place.isLast && first
        ? { xLabel: [first.factor, first.factorUnit].filter(Boolean).join(', ') }
        : {}),
    });
    nodes.push(...panel.ground, ...own.flatMap((fit) => drawFit(palette, panel, fit)));
  });
  const bottom = Math.max(...places.map(({ top }) => top), 0) + panelHeight;
  return { width: figureWidth, height: bottom + 38, label: 'Linear fit over a factor', nodes };
}

function drawFit(palette: Palette, panel: Panel, { mark, band: own, points }: ReportSaturation): SvgNode[] {
  return [
    ...band(
      palette,
      mark,
      own.map((at) => ({ x: panel.x(at.x), lo: panel.y(at.lo), hi: panel.y(at.hi) })),
    ),
    curve(
      palette,
      mark,
      own.map((at) => [panel.x(at.x), panel.y(at.y)]),
    ),
    ...points.map((at) => marker(palette, mark, { x: panel.x(at.x), y: panel.y(at.y), size: 3 })),
  ];
}

/** Points at the ends stand clear of the edge. */
function paddedAxis(values: readonly number[]) {
  const axis = linearAxis(values, { steps: 4 });
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low) * 0.04;
  const [min, max] = [Math.min(axis.min, low - room), Math.max(high + room, Math.min(axis.max, high + room))];
  return cropAxis(axis, { min, max });
}
