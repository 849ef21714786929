import type { ReportDiagnostic } from '@mqttlab/shared/domain/report/report';
import { bareAxis, linearAxis } from '../drawing/axis.ts';
import { bar, rule } from '../drawing/marks.ts';
import { colourOf } from '../drawing/palette.ts';
import { makePanel } from '../drawing/panel.ts';
import type { Picture, SvgNode } from '../drawing/svg.ts';
import { type FigureContext, figureWidth } from '../drawing/treatments.ts';

const panelHeight = 96;

/**
 * Draws autocorrelations (left) and partial autocorrelations (right) in one row per series, with the
 * white-noise band.
 */
export function drawCorrelograms(
  { palette, find, name }: FigureContext,
  diagnostics: readonly Pick<ReportDiagnostic, 'treatment' | 'acf' | 'pacf' | 'band'>[],
): Picture {
  const nodes: SvgNode[] = [];
  diagnostics.forEach((one, index) => {
    const top = 26 + index * (panelHeight + 52);
    const { mark } = find(one.treatment);
    const halves = [
      { title: `${name(one.treatment)}: autocorrelation`, values: one.acf, left: 40, right: 350 },
      { title: 'partial autocorrelation', values: one.pacf, left: 402, right: figureWidth - 8 },
    ];
    for (const { title, values, left, right } of halves) {
      const area = { left, right, top, bottom: top + panelHeight };
      const y = linearAxis([-0.25, 1, ...values], { steps: 4 });
      const panel = makePanel({
        palette,
        area,
        x: {
          ...bareAxis(-0.5, values.length - 0.5),
          ticks: values.flatMap((_, lag) => (lag % 10 === 0 ? [lag] : [])),
        },
        y,
        title,
        ...(index === diagnostics.length - 1 ? { xLabel: 'lag, samples' } : {}),
      });
      nodes.push(
        bar({ left, right, top: panel.y(one.band), bottom: panel.y(-one.band) }, { fill: palette.shade }),
        ...panel.ground,
        ...[one.band, -one.band].map((at) =>
          rule({ from: [left, panel.y(at)], to: [right, panel.y(at)], stroke: palette.text3, dash: '3 3' }),
        ),
        ...values.map((value, lag) =>
          rule({
            from: [panel.x(lag), panel.y(0)],
            to: [panel.x(lag), panel.y(value)],
            stroke: colourOf(palette, mark),
            width: 2.5,
          }),
        ),
      );
    }
  });
  return {
    width: figureWidth,
    height: 26 + diagnostics.length * (panelHeight + 52),
    label: 'Autocorrelation and partial autocorrelation',
    nodes,
  };
}
