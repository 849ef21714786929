import { runValues } from '@mqttlab/shared/analysis/run-values';
import type { ReportSaturation } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { DocumentBuilder, DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { intervalText } from '@mqttlab/shared/figures/document/words';
import { drawSaturation } from '@mqttlab/shared/figures/saturation-figure';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { tTwoSidedQuantile } from '@mqttlab/shared/statistics/distributions/normal';
import {
  fitLine,
  type LinearFit,
  lineAt,
  predictCrossing,
} from '@mqttlab/shared/statistics/estimates/linear-fit';
import { publishedBeside, publishedNumber } from '../published.ts';
import { measuredColumns, type NameOf, namerOf } from './measured.ts';
import { usableCores } from './study-facts.ts';
import type { StudyInput, StudySection } from './study-input.ts';

const steps = 24;
const cpu = { metric: 'cpu.broker', label: 'CPU, broker', unit: '%' };
const memory = { metric: 'memory.broker.mean', label: 'Memory, broker', unit: 'MB' };
const study = { study: 'rpi-broker', table: 'subscribers' };

interface Line {
  name: string;
  mark: number;
  points: { x: number; y: number }[];
  fit: LinearFit | null;
  /** % of one core at which the broker has all that it can use; null where nobody told. */
  limit: number | null;
  /** Of the study, where it ran the same; else null. */
  published: number | null;
}

/** Experiment 1 of the study: a line through the CPU of the broker over subscribers, and where it ends. */
export const subscribers: StudySection = (input, builder) => {
  const nameOf = namerOf(input, ['security', 'qos', 'rate'], ['security']);
  const [ofCpu, ofMemory] = [cpu, memory].map(({ metric }) => fitLines(input, metric, nameOf)) as [
    Line[],
    Line[],
  ];
  addLines(builder, input, {
    title: 'CPU of the broker over subscribers',
    caption: 'A marker for each run, a least-squares line with its 95 % band for each configuration.',
    quantity: cpu,
    lines: ofCpu,
  });
  builder.table('Line and saturation of the broker’s CPU', saturationTable(ofCpu));
  addLines(builder, input, {
    title: 'Memory of the broker over subscribers',
    caption:
      'Mean resident memory of the broker process: a marker for each run, a least-squares line with its 95 % band for each configuration.',
    quantity: memory,
    lines: ofMemory,
  });
  builder.table('CPU and memory of the broker by subscribers', loadTable(input, nameOf));
  builder.heading('Agreement and difference');
  for (const line of ofCpu) builder.paragraph(sentenceOf(line));
  builder.paragraph(memorySentence(ofMemory));
  const rates = [...new Set(input.treatments.map(({ treatment }) => treatment.levels.rate))];
  if (!rates.includes('max')) {
    builder.paragraph(
      `The published publisher sent as fast as it could; ours sent ${rates.join(' or ')} messages/s. CPU follows messages delivered, so that the form of the line can be compared, a straight one or not, but not its slope: the published figures stand alone.`,
    );
  }
};

function printed(metric: string, treatment = 'TLS QoS 0'): number | null {
  return publishedNumber({ ...study, metric, treatment });
}

function fitLines({ treatments, flagged, facts }: StudyInput, metric: string, nameOf: NameOf): Line[] {
  return [...Map.groupBy(treatments, nameOf)].map(([name, members], index) => {
    const points = members.flatMap((one) =>
      runValues(one, { metric, flagged }).map(({ value }) => ({
        x: Number(one.treatment.levels.subscribers),
        y: value,
      })),
    );
    const fit = fitLine(
      points.map(({ x }) => x),
      points.map(({ y }) => y),
    );
    const [first] = members;
    const cores = usableCores(facts, first?.treatment.levels.broker ?? null);
    const beside = first && publishedBeside(first.treatment, { ...study, metric: 'slope' });
    return {
      name,
      mark: (index % 8) + 1,
      points,
      fit,
      limit: cores === null ? null : cores * 100,
      published: beside?.value ?? null,
    };
  });
}

interface LinesFigure {
  title: string;
  caption: string;
  quantity: typeof cpu;
  lines: readonly Line[];
}

function addLines(
  builder: DocumentBuilder,
  { palette }: StudyInput,
  { title, caption, quantity, lines }: LinesFigure,
): void {
  const words = { ...quantity, factor: 'Subscribers', factorUnit: '', sentence: '' };
  const fits = lines.map(({ name, mark, points, fit }) => {
    const band = fit ? bandOf(fit, points) : [];
    return { ...words, group: name, mark, points, band, r2: fit?.r2 ?? null };
  });
  builder.figure(title, caption, {
    picture: lines.some(({ points }) => points.length > 0) ? drawSaturation({ palette }, fits) : null,
    table: {
      columns: [{ head: 'Line' }, { head: 'Subscribers' }, { head: quantity.label, unit: quantity.unit }],
      rows: lines.flatMap(({ name, points }) => points.map(({ x, y }) => [name, x, y])),
    },
  });
}

function bandOf(fit: LinearFit, points: Line['points']): ReportSaturation['band'] {
  const xs = points.map(({ x }) => x);
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  return Array.from({ length: steps + 1 }, (_, i) => {
    const at = lineAt(fit, from + ((to - from) * i) / steps);
    // CPU and memory are never below zero.
    return { x: at.x, y: at.y, lo: Math.max(0, at.lo), hi: at.hi };
  });
}

function saturationTable(lines: readonly Line[]): DocumentTable {
  const text = (value: number | null) => (value === null ? NO_VALUE : formatNumber(value, 5));
  const published = ['slope', 'intercept', 'saturation'].map((metric) => text(printed(metric)));
  const [slope, intercept, saturation] = published;
  return {
    columns: [
      { head: 'Line' },
      { head: 'Slope', unit: '% per subscriber' },
      { head: 'Intercept', unit: '% of one core' },
      { head: 'R²', format: (value) => formatNumber(value, 2) },
      { head: 'Exhausted at', unit: 'subscribers' },
      { head: 'CPU that is all', unit: '%' },
    ],
    rows: [
      // Elsewhere they stand alone, below.
      ...(lines.some((line) => line.published !== null)
        ? [['Published: TLS QoS 0', slope ?? null, intercept ?? null, null, saturation ?? null, 400]]
        : []),
      ...lines.map(measuredRow),
    ],
  };
}

function measuredRow({ name, fit, limit }: Line) {
  if (!fit) return [`Measured: ${name}`, NO_VALUE, NO_VALUE, null, NO_VALUE, limit];
  const t = tTwoSidedQuantile(0.05, fit.df);
  const around = (value: number, se: number) =>
    intervalText({ value, lo: value - t * se, hi: value + t * se });
  const crossing = limit === null ? null : predictCrossing(fit, limit);
  return [
    `Measured: ${name}`,
    around(fit.slope, fit.seSlope),
    around(fit.intercept, fit.seIntercept),
    fit.r2,
    crossing ? intervalText({ value: crossing.x, lo: crossing.lo, hi: crossing.hi }) : NO_VALUE,
    limit,
  ];
}

/** The study prints two points of its CPU, and one of its memory. */
function printedPoint({ treatment }: ComparedTreatment, metric: string): number | null {
  return publishedBeside(treatment, { ...study, metric })?.value ?? null;
}

/** Every point of the load, published beside measured. */
function loadTable(input: StudyInput, nameOf: NameOf): DocumentTable {
  const rows = input.treatments.map((one) => {
    return { one, name: nameOf(one), count: Number(one.treatment.levels.subscribers) };
  });
  rows.sort((a, b) => a.name.localeCompare(b.name) || a.count - b.count);
  return makeTable(rows, [
    { head: 'Configuration', of: ({ name }) => name },
    { head: 'Subscribers', of: ({ count }) => count },
    { head: 'CPU, published', unit: '%', of: ({ one }) => printedPoint(one, 'broker CPU') },
    ...measuredColumns(input, [
      { head: 'CPU, measured', unit: '%', metric: cpu.metric },
      { head: 'Memory', unit: 'MB', metric: memory.metric },
      { head: 'Memory, peak', unit: 'MB', metric: 'memory.broker.peak' },
      { head: 'Memory, measured', unit: '% of the device', metric: 'memoryShare.broker' },
    ]),
    { head: 'Memory, published', unit: '% of the board', of: ({ one }) => printedPoint(one, 'peak memory') },
  ]);
}

function sentenceOf({ name, points, fit, limit, published }: Line): string {
  if (!fit) return `${name}: ${points.length} runs, too few or too alike for a line.`;
  if (fit.p >= 0.05) return `${name}: no trend over subscribers was detected (p ${formatNumber(fit.p, 2)}).`;
  const crossing = limit === null ? null : predictCrossing(fit, limit);
  const max = Math.max(...points.map(({ x }) => x));
  const where = crossing
    ? ` ${limit === 100 ? 'The one core that the broker can use is' : `The ${formatNumber((limit ?? 0) / 100, 1)} cores that the broker can use are`} exhausted at about ${formatNumber(crossing.x)} subscribers${crossing.x > max ? ', beyond what was measured: a guess, if the line stays straight' : ''}.`
    : '';
  const ratio =
    published === null ? '' : `, ${formatNumber(fit.slope / published)} times the published slope`;
  return `${name}: each subscriber costs ${formatNumber(fit.slope)} percentage points of one core${ratio}.${where}`;
}

/** The study prints no line for memory, but that it is flat and how high it comes. */
function memorySentence(lines: readonly Line[]): string {
  const peak = printed('peak memory', 'QoS 2 100 subscribers');
  const here = lines.flatMap(({ name, fit }) => {
    if (!fit) return [];
    if (fit.p >= 0.05) return [`${name}: no trend was detected (p ${formatNumber(fit.p, 2)})`];
    return [`${name}: ${formatNumber(fit.slope * 1000)} kB for each subscriber`];
  });
  return `Memory: published flat in subscribers, at most ${peak} % of the board (QoS 2, 100 subscribers). Here, ${here.join('; ') || 'too few runs for a line'}. EMQX is a large runtime, beside which a subscriber is little; Mosquitto is so small that each connection may show.`;
}
