import type { StabilityVariable } from '../../../domain/report/report-stability.ts';
import { formatNumber } from '../../../format/number.ts';
import { linearAxis } from '../../drawing/axis.ts';
import { colourOf } from '../../drawing/palette.ts';
import { label, line, makePanel } from '../../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../../drawing/svg.ts';
import { textWidth } from '../../drawing/text-width.ts';
import { type FigureContext, figureWidth } from '../../drawing/treatments.ts';
import { ofStudy } from './configurations.ts';
import { sizeWord } from './statistics-tables.ts';

const thresholds = [0.2, 0.5, 0.8];
const rowHeight = 22;
const cellHeight = 34;

/** Cohen’s d of every configuration against plain, one group of bars for each response, thresholds dashed. */
export function drawEffectBars(context: FigureContext, variables: readonly StabilityVariable[]): Picture {
  const { palette, find, name } = context;
  const groups = variables.map(({ label: title, contrasts }) => ({
    title,
    rows: ofStudy(context, contrasts).filter(({ cohensD }) => cohensD !== null),
  }));
  const all = groups.flatMap(({ rows }) => rows);
  const left = Math.max(80, ...all.map(({ treatment }) => textWidth(name(treatment)))) + 22;
  const top = 24;
  const bottom = top + (all.length + groups.length) * rowHeight + 6;
  const panel = makePanel({
    palette,
    area: { left, right: figureWidth - 70, top, bottom },
    x: linearAxis([-1, 1, ...all.map(({ cohensD }) => cohensD ?? 0)], { zero: true }),
    y: { min: 0, max: 1, ticks: [], isLog: false, format: String },
    xLabel: 'Cohen’s d against plain',
  });
  const nodes: SvgNode[] = [
    ...panel.ground,
    ...thresholds.flatMap((threshold) =>
      [threshold, -threshold].map((value) =>
        line({
          from: [panel.x(value), top],
          to: [panel.x(value), bottom],
          stroke: palette.text3,
          dash: '3 3',
        }),
      ),
    ),
    line({ from: [panel.x(0), top], to: [panel.x(0), bottom], stroke: palette.axis, width: 1.5 }),
  ];
  let y = top + rowHeight / 2;
  for (const { title, rows } of groups) {
    nodes.push(label(title, { x: 0, y, fill: palette.text, weight: 600 }));
    y += rowHeight;
    for (const { treatment, cohensD } of rows) {
      const d = cohensD ?? 0;
      const [from, to] = [panel.x(Math.min(0, d)), panel.x(Math.max(0, d))];
      nodes.push(
        label(name(treatment), { x: left - 10, y, anchor: 'end', fill: palette.text2 }),
        el(
          'rect',
          {
            x: from,
            y: y - 7,
            width: Math.max(1, to - from),
            height: 14,
            fill: colourOf(palette, find(treatment).mark),
            fillOpacity: 0.6,
          },
          [el('title', {}, [`${name(treatment)}: d = ${formatNumber(d)}, ${sizeWord(d)}`])],
        ),
        label(formatNumber(d), { x: figureWidth - 4, y, anchor: 'end', fill: palette.text }),
      );
      y += rowHeight;
    }
  }
  return { width: figureWidth, height: bottom + 38, label: 'Cohen’s d by response and configuration', nodes };
}

/** The same as a map: the stronger the colour, the larger the step of the thresholds. */
export function drawEffectMap(context: FigureContext, variables: readonly StabilityVariable[]): Picture {
  const { palette, name, report } = context;
  const columns = report.treatments.filter(({ key }) =>
    variables.some(({ contrasts }) => contrasts.some(({ treatment }) => treatment === key)),
  );
  const left = Math.max(80, ...variables.map(({ label: title }) => textWidth(title))) + 16;
  const width = (figureWidth - left) / Math.max(1, columns.length);
  const top = 40;
  const nodes: SvgNode[] = columns.flatMap(({ key }, index) => {
    const [first = '', second = ''] = halves(name(key));
    const x = left + (index + 0.5) * width;
    return [
      label(first, { x, y: 10, anchor: 'middle', fill: palette.text, weight: 600 }),
      label(second, { x, y: 26, anchor: 'middle', fill: palette.text, weight: 600 }),
    ];
  });
  variables.forEach(({ label: title, contrasts }, row) => {
    const y = top + row * cellHeight;
    nodes.push(label(title, { x: left - 10, y: y + cellHeight / 2, anchor: 'end', fill: palette.text2 }));
    columns.forEach(({ key }, index) => {
      const d = contrasts.find(({ treatment }) => treatment === key)?.cohensD ?? null;
      const step = d === null ? 0 : thresholds.filter((threshold) => Math.abs(d) >= threshold).length;
      const x = left + index * width;
      nodes.push(
        el('rect', {
          x: x + 1,
          y: y + 1,
          width: width - 2,
          height: cellHeight - 2,
          fill: d !== null && d < 0 ? palette.low : palette.high,
          fillOpacity: 0.05 + 0.2 * step,
        }),
        label(d === null ? '–' : `${formatNumber(d)} ${sizeWord(d)}`, {
          x: x + width / 2,
          y: y + cellHeight / 2,
          anchor: 'middle',
          fill: palette.text,
        }),
      );
    });
  });
  return {
    width: figureWidth,
    height: top + variables.length * cellHeight + 4,
    label: 'Map of Cohen’s d by response and configuration',
    nodes,
  };
}

/** A long name on two lines. */
function halves(text: string): string[] {
  const words = text.split(' ');
  const first = words.slice(0, Math.ceil(words.length / 2)).join(' ');
  return text.length < 14 ? [text] : [first, words.slice(Math.ceil(words.length / 2)).join(' ')];
}
