import type { ReportPhases } from '@mqttlab/shared/domain/report/report';
import { setUpPhases } from '@mqttlab/shared/domain/runs/statuses';
import { formatNumber } from '@mqttlab/shared/format/number';
import { bareAxis, linearAxis } from '../drawing/axis.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { errorBarAcross, label, makePanel } from '../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { shorten, textWidth } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth } from '../drawing/treatments.ts';

const rowHeight = 24;
/** A phase keeps its style on every page; these are none of the baseline's ink. */
export const phaseStyles = [7, 2, 6, 4];
/** For the names of treatments. */
const maxLeft = 300;
const words: Readonly<Record<string, string>> = {
  tcp: 'TCP handshake',
  tls: 'TLS handshake',
  connect: 'MQTT CONNECT',
  subscribe: 'MQTT SUBSCRIBE',
};

/** How a phase is called beside its colour. */
export function phaseWord(phase: string): string {
  return words[phase] ?? phase;
}

/** Phases of setting a connection up, end to end, mean over runs. */
export function drawPhases(context: FigureContext, phases: readonly ReportPhases[]): Picture {
  const { palette, name } = context;
  const names = setUpPhases.filter((name) =>
    phases.some((one) => one.phases.some(({ phase }) => phase === name)),
  );
  const totals = phases.map((one) =>
    one.phases.filter(({ phase }) => isSetUp(phase)).reduce((sum, { ms }) => sum + ms, 0),
  );
  const widest = Math.max(...phases.map(({ treatment }) => textWidth(name(treatment))), 60);
  const left = Math.min(maxLeft, widest + 16);
  const top = 34;
  const area = { left, right: figureWidth - 64, top, bottom: top + phases.length * rowHeight + 4 };
  const intervals = phases.map(({ treatment }, index) => intervalOf(context, treatment, totals[index] ?? 0));
  const axis = linearAxis([...totals, ...intervals.flatMap((interval) => interval ?? [])], { zero: true });
  const panel = makePanel({ palette, area, x: axis, y: bareAxis(0, 1), xGrid: true, xLabel: 'ms' });
  const nodes: SvgNode[] = [...swatches(palette, names, left), ...panel.ground];
  phases.forEach(({ treatment, phases: own }, index) => {
    const y = top + index * rowHeight + rowHeight / 2 + 2;
    let at = 0;
    nodes.push(
      label(widest > left ? shorten(name(treatment), left) : name(treatment), {
        x: left - 8,
        y,
        anchor: 'end',
        fill: palette.text2,
      }),
    );
    for (const [place, name] of names.entries()) {
      const ms = own.find(({ phase }) => phase === name)?.ms ?? 0;
      nodes.push(
        el(
          'rect',
          {
            x: panel.x(at),
            y: y - 8,
            width: Math.max(0, panel.x(at + ms) - panel.x(at)),
            height: 16,
            fill: colourOf(palette, phaseStyles[place] ?? 1),
            fillOpacity: 0.55,
            stroke: palette.surface,
            strokeWidth: 0.75,
          },
          [el('title', {}, [`${phaseWord(name)}: ${formatNumber(ms)} ms`])],
        ),
      );
      at += ms;
    }
    const [lo, hi] = intervals[index] ?? [at, at];
    if (hi > lo) nodes.push(errorBarAcross(palette.text, { y, lo: panel.x(lo), hi: panel.x(hi) }));
    const end = panel.x(Math.max(at, hi));
    nodes.push(label(`${formatNumber(at)} ms`, { x: end + 7, y, fill: palette.text, weight: 600 }));
  });
  return { width: figureWidth, height: area.bottom + 38, label: 'Connection set-up by phase', nodes };
}

/** Of the whole set-up over runs, where the metric of that name is the sum of these phases. */
function intervalOf({ report }: FigureContext, treatment: string, total: number): [number, number] | null {
  const estimates = report.responses.find(({ metric }) => metric === 'setUp.total')?.estimates;
  const { mean = null, lo = null, hi = null } = estimates?.find((one) => one.treatment === treatment) ?? {};
  if (mean === null || lo === null || hi === null || Math.abs(mean - total) > 0.01 * total) return null;
  // A t interval of few runs can reach below zero, which no duration does.
  return [Math.max(0, lo), hi];
}

function isSetUp(phase: string): boolean {
  return (setUpPhases as readonly string[]).includes(phase);
}

function swatches(palette: Palette, names: readonly string[], left: number): SvgNode[] {
  const widths = names.map((name) => 22 + textWidth(phaseWord(name)) * 1.08 + 14);
  let x = Math.min(left, figureWidth - widths.reduce((sum, width) => sum + width, 0));
  return names.flatMap((name, index) => {
    const at = x;
    const text = phaseWord(name);
    x += widths[index] ?? 0;
    return [
      el('rect', {
        x: at,
        y: 4,
        width: 14,
        height: 12,
        fill: colourOf(palette, phaseStyles[index] ?? 1),
        fillOpacity: 0.55,
      }),
      label(text, { x: at + 20, y: 10, fill: palette.text2 }),
    ];
  });
}
