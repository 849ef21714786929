import { runValues } from '../../analysis/run-values.ts';
import { publishedNumber } from '../../catalogue/studies/published.ts';
import type { ReportSaturation } from '../../domain/report/report.ts';
import { formatNumber, NO_VALUE } from '../../format/number.ts';
import { tTwoSidedQuantile } from '../../statistics/distributions/normal.ts';
import { fitLine, type LinearFit, lineAt, predictCrossing } from '../../statistics/estimates/linear-fit.ts';
import { intervalText } from '../document/words.ts';
import { drawSaturation } from '../saturation-figure.ts';
import { nameBy, type StudyInput, type StudySection, variedAmong } from './study-input.ts';
import { loadTable } from './subscribers-table.ts';

/** Mosquitto and the embedded broker do their work in one thread. */
const oneThread = 100;
const steps = 24;
const factors = ['security', 'qos', 'rate'];
const cpuMetric = 'cpu.broker';
const cpuWords = { metric: cpuMetric, label: 'CPU, broker', unit: '%' };
const memoryMetric = 'memory.broker.mean';
const memoryWords = { metric: memoryMetric, label: 'Memory, broker', unit: 'MB' };

interface Line {
  name: string;
  mark: number;
  points: { x: number; y: number }[];
  fit: LinearFit | null;
}

/** Experiment 1 of the study: a line through the CPU of the broker over subscribers, and where it ends. */
export const subscribersLine: StudySection = (input, builder) => {
  const lines = fitLines(input, cpuMetric);
  const columns = [
    { head: 'Line' },
    { head: 'Slope', unit: '% per subscriber' },
    { head: 'Intercept', unit: '% of one core' },
    { head: 'R²', format: (value: number) => formatNumber(value, 2) },
    { head: 'Exhausted at', unit: 'subscribers' },
    { head: 'CPU that is all', unit: '%' },
  ];
  const rows = [publishedRow(), ...lines.map(rowOf)];
  builder.figure(
    'CPU of the broker over subscribers',
    'A marker for each run, a least-squares line with its 95 % band for each configuration.',
    {
      picture: drawSaturation(
        input,
        lines.map((line) => saturationOf(line, cpuWords)),
      ),
      table: pointsTable(lines, { head: cpuWords.label, unit: cpuWords.unit }),
    },
  );
  builder.table('Line and saturation, published and measured', { columns, rows });
  const memory = fitLines(input, memoryMetric);
  builder.figure(
    'Memory of the broker over subscribers',
    'Mean resident memory of the broker process: a marker for each run, a least-squares line with its 95 % band for each configuration.',
    {
      picture: drawSaturation(
        input,
        memory.map((line) => saturationOf(line, memoryWords)),
      ),
      table: pointsTable(memory, { head: memoryWords.label, unit: memoryWords.unit }),
    },
  );
  builder.table('CPU and memory of the broker by subscribers', loadTable(input));
  builder.heading('Agreement and difference');
  for (const line of lines) builder.paragraph(sentenceOf(line));
  builder.paragraph(memorySentence(memory));
  const rates = [...new Set(input.treatments.map(({ treatment }) => treatment.levels.rate))];
  if (!rates.includes('max')) {
    builder.paragraph(
      `The published publisher sent as fast as it could; ours sent ${rates.join(' or ')} messages/s. CPU follows messages delivered, so that the form of the line can be compared, a straight one or not, but not its slope.`,
    );
  }
};

function pointsTable(lines: readonly Line[], column: { head: string; unit: string }) {
  return {
    columns: [{ head: 'Line' }, { head: 'Subscribers' }, column],
    rows: lines.flatMap(({ name, points }) => points.map(({ x, y }) => [name, x, y])),
  };
}

function fitLines(input: StudyInput, metric: string): Line[] {
  const varied = variedAmong(input.treatments, factors);
  const groups = Map.groupBy(input.treatments, (one) =>
    nameBy(one, varied.length > 0 ? varied : ['security']),
  );
  return [...groups].map(([name, members], index) => {
    const points = members.flatMap((one) =>
      runValues(one, { metric, flagged: input.flagged }).map(({ value }) => ({
        x: Number(one.treatment.levels.subscribers),
        y: value,
      })),
    );
    const fit = fitLine(
      points.map(({ x }) => x),
      points.map(({ y }) => y),
    );
    return { name, mark: (index % 8) + 1, points, fit };
  });
}

function saturationOf(
  { name, mark, points, fit }: Line,
  { metric, label, unit }: { metric: string; label: string; unit: string },
): ReportSaturation {
  const xs = points.map(({ x }) => x);
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const band = fit
    ? Array.from({ length: steps + 1 }, (_, i) => {
        const { x, y, lo, hi } = lineAt(fit, from + ((to - from) * i) / steps);
        // CPU and memory are never below zero.
        return { x, y, lo: Math.max(0, lo), hi };
      })
    : [];
  const words = { metric, label, unit, factor: 'Subscribers', factorUnit: '' };
  return { ...words, group: name, mark, points, band, r2: fit?.r2 ?? null, sentence: '' };
}

function publishedRow() {
  const of = (metric: string) =>
    publishedNumber({ study: 'rpi-broker', table: 'subscribers', metric, treatment: 'TLS QoS 0' });
  const text = (value: number | null) => (value === null ? NO_VALUE : formatNumber(value, 5));
  return [
    'Published: TLS QoS 0',
    text(of('slope')),
    text(of('intercept')),
    null,
    text(of('saturation')),
    400,
  ];
}

function rowOf({ name, fit }: Line) {
  if (!fit) return [`Measured: ${name}`, NO_VALUE, NO_VALUE, null, NO_VALUE, oneThread];
  const t = tTwoSidedQuantile(0.05, fit.df);
  const around = (value: number, se: number) =>
    intervalText({ value, lo: value - t * se, hi: value + t * se });
  const crossing = predictCrossing(fit, oneThread);
  return [
    `Measured: ${name}`,
    around(fit.slope, fit.seSlope),
    around(fit.intercept, fit.seIntercept),
    fit.r2,
    crossing ? intervalText({ value: crossing.x, lo: crossing.lo, hi: crossing.hi }) : NO_VALUE,
    oneThread,
  ];
}

function sentenceOf({ name, points, fit }: Line): string {
  if (!fit) return `${name}: ${points.length} runs, too few or too alike for a line.`;
  const published = publishedNumber({
    study: 'rpi-broker',
    table: 'subscribers',
    metric: 'slope',
    treatment: 'TLS QoS 0',
  });
  if (fit.p >= 0.05) return `${name}: no trend over subscribers was resolved (p ${formatNumber(fit.p, 2)}).`;
  const crossing = predictCrossing(fit, oneThread);
  const most = Math.max(...points.map(({ x }) => x));
  const where = crossing
    ? ` One thread is exhausted at about ${formatNumber(crossing.x)} subscribers${crossing.x > most ? ', beyond what was measured: a guess, if the line stays straight' : ''}.`
    : '';
  const ratio =
    published === null ? '' : `, ${formatNumber(fit.slope / published)} times the published slope`;
  return `${name}: each subscriber costs ${formatNumber(fit.slope)} percentage points of one core${ratio}.${where}`;
}

/** The study prints no line for memory, but that it is flat and how high it comes. */
function memorySentence(lines: readonly Line[]): string {
  const peak = publishedNumber({
    study: 'rpi-broker',
    table: 'subscribers',
    metric: 'peak memory',
    treatment: 'QoS 2 100 subscribers',
  });
  const here = lines.flatMap(({ name, fit }) => {
    if (!fit) return [];
    if (fit.p >= 0.05) return [`${name}: flat, no trend was resolved (p ${formatNumber(fit.p, 2)})`];
    return [`${name}: ${formatNumber(fit.slope * 1000)} kB for each subscriber`];
  });
  return `Memory: published flat in subscribers, at most ${peak} % of the board (QoS 2, 100 subscribers). Here, ${here.join('; ') || 'too few runs for a line'}. EMQX is a large runtime, beside which a subscriber is little; Mosquitto is so small that each connection may show.`;
}
