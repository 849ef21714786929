import type { ReportBootstrap } from '@mqttlab/shared/domain/report/report';
import { bareAxis, linearAxis } from '../drawing/axis.ts';
import { colourOf } from '../drawing/palette.ts';
import { label, line, makePanel } from '../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { type FigureContext, figureWidth, layOut } from '../drawing/treatments.ts';

const panelHeight = 120;

/** What a panel shows. */
interface Resampled extends Pick<ReportBootstrap, 'treatment' | 'baseline' | 'unit' | 'distribution'> {
  runLevel: { lo: number | null; hi: number | null };
  published: { lo: number; hi: number } | null;
}

/** The resampled differences, with the interval they give and the one over runs above them. */
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
  bootstraps.forEach((one, index) => {
    const place = places[index];
    if (!place || !one.distribution) return;
    const { from, to, counts } = one.distribution;
    const { mark, shortLabel } = find(one.treatment);
    const area = { ...place, bottom: place.top + panelHeight };
    const most = Math.max(...counts);
    const panel = makePanel({
      palette,
      area,
      x,
      y: bareAxis(0, most * 1.05),
      ...(place.isLast ? { xLabel: `difference, ${one.unit}` } : {}),
    });
    const step = (to - from) / counts.length;
    nodes.push(
      label(shortLabel, { x: area.left, y: area.top - 50, fill: palette.text, weight: 600 }),
      label(`against ${find(one.baseline).shortLabel}`, {
        x: area.left,
        y: area.top - 36,
        fill: palette.text3,
      }),
      ...panel.ground,
      line({
        from: [panel.x(0), area.top - 24],
        to: [panel.x(0), area.bottom],
        stroke: palette.text3,
        dash: '3 3',
      }),
      ...counts.map((count, bin) =>
        el('rect', {
          x: panel.x(from + bin * step),
          y: panel.y(count),
          width: Math.max(0.5, panel.x(from + step) - panel.x(from) - 0.3),
          height: area.bottom - panel.y(count),
          fill: colourOf(palette, mark),
          fillOpacity: 0.4,
        }),
      ),
      ...bracket(one.runLevel, { at: area.top - 20, stroke: palette.text, x: panel.x }),
      ...bracket(one.published, { at: area.top - 8, stroke: colourOf(palette, mark), x: panel.x }),
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
  const ends = [x(interval.lo), x(interval.hi)];
  return [
    line({ from: [ends[0] ?? 0, at], to: [ends[1] ?? 0, at], stroke, width: 2 }),
    ...ends.map((end) => line({ from: [end, at - 4], to: [end, at + 4], stroke, width: 2 })),
  ];
}
