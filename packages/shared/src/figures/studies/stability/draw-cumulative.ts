import type { ReportStability, StabilityCurve } from '../../../domain/report/report-stability.ts';
import { linearAxis } from '../../drawing/axis.ts';
import { colourOf } from '../../drawing/palette.ts';
import { band, label, legend, line, makePanel } from '../../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../../drawing/svg.ts';
import { type FigureContext, figureWidth } from '../../drawing/treatments.ts';
import { ofStudy } from './configurations.ts';

const height = 230;
const dashed = '5 4';

/** Charge since measuring began, one colour for each configuration: emitter solid with its band, receiver dashed. */
export function drawCumulative(context: FigureContext, cumulative: ReportStability['cumulative']): Picture {
  const { palette, colours, find } = context;
  const keys = legend(palette, colours, { left: 50, top: 0, right: figureWidth });
  const top = keys.height + 40;
  const area = { left: 50, right: figureWidth - 8, top, bottom: top + height };
  const drawn = cumulative.map(({ role, curves }) => ({ role, curves: ofStudy(context, curves) }));
  const all = drawn.flatMap(({ curves }) => curves);
  const seconds = all.flatMap(({ timesMs }) => timesMs.map((ms) => ms / 1000));
  const round = linearAxis([0, ...seconds]);
  const max = Math.max(...seconds);
  const panel = makePanel({
    palette,
    area,
    x: { ...round, max, ticks: round.ticks.filter((tick) => tick <= max) },
    y: linearAxis(
      all.flatMap(({ mean, hi }) => [...mean, ...hi].flatMap((value) => value ?? [])),
      { zero: true },
    ),
    xLabel: 's since measuring began',
    yLabel: 'mAh',
  });
  const at = (curve: StabilityCurve, index: number) => panel.x((curve.timesMs[index] ?? 0) / 1000);
  const pathOf = (curve: StabilityCurve) =>
    curve.mean
      .flatMap((value, index) =>
        value === null ? [] : [`${fixed(at(curve, index))} ${fixed(panel.y(value))}`],
      )
      .join('L');
  const nodes: SvgNode[] = [
    ...keys.nodes,
    ...roleKey(palette, keys.height + 10),
    ...panel.ground,
    ...drawn.flatMap(({ role, curves }) =>
      curves.flatMap((curve) => {
        const { mark } = find(curve.treatment);
        const isEmitter = role === 'publisher';
        const points = curve.timesMs.map((_, index) => {
          const [lo, hi] = [curve.lo[index] ?? null, curve.hi[index] ?? null];
          return lo === null || hi === null
            ? null
            : { x: at(curve, index), lo: panel.y(lo), hi: panel.y(hi) };
        });
        return [
          ...(isEmitter ? band(palette, mark, points) : []),
          el('path', {
            d: `M${pathOf(curve)}`,
            fill: 'none',
            stroke: colourOf(palette, mark),
            strokeWidth: 1.5,
            strokeDasharray: isEmitter ? undefined : dashed,
          }),
        ];
      }),
    ),
  ];
  return { width: figureWidth, height: area.bottom + 38, label: 'Cumulative energy, mAh', nodes };
}

function roleKey(palette: FigureContext['palette'], y: number): SvgNode[] {
  const entry = (x: number, text: string, dash?: string) => [
    line({ from: [x, y], to: [x + 26, y], stroke: palette.text2, width: 1.5, dash }),
    label(text, { x: x + 32, y, fill: palette.text2 }),
  ];
  return [...entry(50, 'emitter'), ...entry(160, 'receiver', dashed)];
}

function fixed(value: number): number {
  return Math.round(value * 100) / 100;
}
