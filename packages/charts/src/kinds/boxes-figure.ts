import { formatNumber } from '@mqttlab/shared/format/number';
import { linearAxis, logAxis } from '../drawing/axis.ts';
import { boxMark } from '../drawing/box-mark.ts';
import { drawGroups } from '../drawing/one-panel.ts';
import { colourOf } from '../drawing/palette.ts';
import type { Picture } from '../drawing/svg.ts';
import type { FigureContext } from '../drawing/treatments.ts';

/** Whiskers this far apart are drawn on a logarithm: on a plain axis the boxes would be lines. */
const wide = 40;

/** Box plots over all messages: box P25 to P75, whiskers P5 to P95, marker at the mean. */
export function drawBoxes(context: FigureContext): Picture {
  const { palette, find, report } = context;
  const all = report.latency.flatMap(({ box }) => [box.p5, box.p95, box.mean]);
  const isLog = Math.min(...all) > 0 && Math.max(...all) / Math.min(...all) > wide;
  const spec = {
    label: 'Message latency: box P25 to P75, whiskers P5 to P95',
    heightPx: 240,
    maxRoom: 60,
    y: isLog ? logAxis(all) : linearAxis(all, { zero: true }),
    yLabel: `Message latency, ms${isLog ? ' (logarithmic)' : ''}`,
  };
  return drawGroups(context, spec, (panel, { placeOf, room }) =>
    report.latency.flatMap(({ treatment, box, messages }) => {
      const { mark, label: name, ...place } = find(treatment);
      return boxMark(palette, box, {
        mark,
        at: placeOf(place),
        half: room * 0.32,
        scale: panel.y,
        paint: { fill: colourOf(palette, mark), fillOpacity: 0.18 },
        tip: `${name}: median ${formatNumber(box.p50)} ms, P5 ${formatNumber(box.p5)}, P95 ${formatNumber(box.p95)}, ${messages} messages`,
      });
    }),
  );
}
