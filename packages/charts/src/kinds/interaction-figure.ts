import { titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { canBeLog, linearAxis, logAxis } from '../drawing/axis.ts';
import { drawGroups } from '../drawing/one-panel.ts';
import { colourOf } from '../drawing/palette.ts';
import { curve, errorBar, marker } from '../drawing/plot.ts';
import type { Picture } from '../drawing/svg.ts';
import type { FigureContext } from '../drawing/treatments.ts';

/** True if the factors multiply under no interaction: the effects are ratios, tested on the log scale. */
export function isMultiplied({ effects, estimates }: ReportResponse): boolean {
  return effects.every(({ scale }) => scale === 'ratio') && canBeLog(endsOf(estimates));
}

function endsOf(estimates: ReportResponse['estimates']): number[] {
  return estimates.flatMap(({ mean, lo, hi }) => [mean, lo, hi].flatMap((end) => end ?? []));
}

/**
 * Means over the rows, one line for each colour, on the scale on which the effects are tested. Lines that are not
 * parallel show an interaction.
 */
export function drawInteraction(context: FigureContext, response: ReportResponse): Picture {
  const { palette, rows, colours, find } = context;
  const spec = {
    label: `${response.label} by treatment`,
    heightPx: 220,
    maxRoom: 9,
    y: isMultiplied(response) ? logAxis(endsOf(response.estimates)) : linearAxis(endsOf(response.estimates)),
    yLabel: `${titleOf(response)}, ${response.unit}`,
  };
  return drawGroups(context, spec, (panel, { placeOf }) =>
    colours.flatMap(({ text: colourLabel, mark }) => {
      const points = rows.map((rowLabel) => {
        const estimate = response.estimates.find(({ treatment }) => {
          const place = find(treatment);
          return place.rowLabel === rowLabel && place.colourLabel === colourLabel;
        });
        if (!estimate || estimate.mean === null) return null;
        const { mean, lo, hi } = estimate;
        return { x: placeOf({ rowLabel, colourLabel }), y: panel.y(mean), lo, hi };
      });
      const line = points.map((point) => point && ([point.x, point.y] as const));
      return [
        curve(palette, mark, line),
        ...points.flatMap((point) => {
          if (!point) return [];
          const { x, y, lo, hi } = point;
          const mean = marker(palette, mark, { x, y, size: 4 });
          if (lo === null || hi === null) return [mean];
          return [errorBar(colourOf(palette, mark), { x, lo: panel.y(lo), hi: panel.y(hi) }), mean];
        }),
      ];
    }),
  );
}
