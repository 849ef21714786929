import { centreWords, titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { formatInterval } from '@mqttlab/shared/format/interval';
import { linearAxis } from '../drawing/axis.ts';
import { drawGroups } from '../drawing/one-panel.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { errorBar, label, marker, type Panel } from '../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import type { FigureContext } from '../drawing/treatments.ts';

/** px that a line of text needs beside others. */
const lineRoom = 14;

/** In place of a bar, from the bottom up: why there is none. */
function upright(palette: Palette, text: string, { x, panel }: { x: number; panel: Panel }): SvgNode {
  const y = panel.area.bottom - 6;
  return el('g', { transform: `rotate(-90 ${x} ${y})` }, [label(text, { x, y, fill: palette.text3 })]);
}

/** Bars from zero with 95 % intervals, grouped by row; every run is a point on its bar. */
export function drawMeans(context: FigureContext, response: ReportResponse): Picture {
  const { palette, find } = context;
  const ends = response.estimates.flatMap(({ mean, lo, hi, values }) =>
    mean === null ? [] : [mean, lo ?? 0, hi ?? 0, ...values.map(({ value }) => value)],
  );
  const spec = {
    label: `${response.label}: ${centreWords(response.metric)} with 95 % interval`,
    heightPx: 240,
    maxRoom: 54,
    share: 0.78,
    y: linearAxis(ends, { zero: true }),
    yLabel: `${titleOf(response)}, ${response.unit}`,
  };
  return drawGroups(context, spec, (panel, { placeOf, room }) =>
    response.estimates.flatMap(({ treatment, mean, lo, hi, values, note }): SvgNode[] => {
      const { mark, label: name, ...place } = find(treatment);
      const colour = colourOf(palette, mark);
      const x = placeOf(place);
      if (mean === null)
        return note === null || room < lineRoom ? [] : [upright(palette, note, { x, panel })];
      const [y, zero] = [panel.y(mean), panel.y(0)];
      const said = formatInterval(
        { value: mean, lo: lo ?? undefined, hi: hi ?? undefined },
        { unit: response.unit },
      );
      const bar = {
        x: x - room * 0.42,
        y: Math.min(y, zero),
        width: room * 0.84,
        height: Math.abs(zero - y),
        fill: colour,
        fillOpacity: 0.18,
        stroke: colour,
        strokeWidth: 1.25,
      };
      return [
        el('rect', bar, [el('title', {}, [`${name}: ${said.text}`])]),
        ...values.map(({ runId, value }, run) =>
          marker(palette, mark, {
            x: x + ((run + 0.5) / values.length - 0.5) * room * 0.5,
            y: panel.y(value),
            size: 2,
            tip: `${context.runName(runId)}: ${value}`,
          }),
        ),
        ...(lo === null || hi === null
          ? []
          : [errorBar(palette.text, { x, lo: panel.y(lo), hi: panel.y(hi) })]),
      ];
    }),
  );
}
