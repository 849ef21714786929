import { protectionsOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { protectionLabels } from '@mqttlab/shared/catalogue/ciphers/protection';
import { usualVolts } from '@mqttlab/shared/catalogue/metrics/energy';
import type { ReportStability } from '@mqttlab/shared/domain/report/report-stability';
import { type BoxRow, boxFigure } from '@mqttlab/shared/figures/box-rows-figure';
import type { DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { drawBeside } from '@mqttlab/shared/figures/dots-figure';
import { formatNumber, formatSigned, NO_VALUE } from '@mqttlab/shared/format/number';
import { meanOf, measured, measuredCell, scaled } from '../measured.ts';
import { pairSentences } from '../relative.ts';
import type { StudyInput, StudySection } from '../study-input.ts';
import { type Configuration, configurationsOf, contextOf, printed } from './configurations.ts';
import { addEnergyFigures, addPareto } from './energy.ts';
import { addHypotheses, addTlsAgainstHybrid, energyEffects } from './hypotheses.ts';
import { addMinutes, addVariations } from './repeatability.ts';
import { addSeriesFigures, addStatistics } from './series.ts';

interface SummaryResponse {
  label: string;
  metric: string;
  /** Quantity of the study. */
  published: string;
  unit: string;
  scale: (volts: number) => number;
  /** Time that the quantity is for. */
  seconds?: number;
}

/** What the study printed, and what comes nearest to it here. */
const responses: readonly SummaryResponse[] = [
  {
    label: 'Current',
    metric: 'power.publisher',
    published: 'mean current',
    unit: 'mA',
    scale: (volts: number) => 1000 / volts,
  },
  {
    label: 'Energy in 600 s',
    metric: 'power.publisher',
    published: 'cumulative energy',
    unit: 'mAh',
    scale: (volts: number) => 1000 / volts / 6,
    seconds: 600,
  },
  { label: 'Latency', metric: 'latency.mean', published: 'mean latency', unit: 'ms', scale: () => 1 },
  { label: 'Memory', metric: 'memory.publisher.mean', published: 'RAM', unit: 'KB', scale: () => 1000 },
];

/** Says so if a figure for so many seconds comes from the mean power of runs of another length. */
function extrapolation(rows: readonly SummaryRow[], seconds: number): string {
  const spec = rows.find(({ row }) => row.one)?.row.one?.treatment.spec;
  const measuredS = spec ? spec.measureMs / 1000 : seconds;
  return measuredS === seconds ? '' : `, extrapolated from ${measuredS} s`;
}

/** The study's summary with its fair fourth and TLS 1.3, its statistics and figures, and what each protects. */
export const stability: StudySection = (input, builder) => {
  const rows = configurationsOf(input);
  for (const { name, one } of rows) {
    if (!one) builder.note(`Gap: ${name} was not run on this testbed.`);
  }
  const summary = summaryRows(input, rows);
  const table = summaryTable(input, summary);
  builder.table(
    'Summary of the emitter: mean current, cumulative energy, mean latency and memory beside the published ones',
    table,
  );
  builder.figure(
    'Overhead over plain, published and measured',
    'In percent of plain MQTT; current and latency. Published latency over plain is not drawn: that of plain is a broker round trip.',
    { picture: drawOverhead(input, summary), table },
  );
  const boxes = rows.flatMap(({ name, one }): BoxRow[] => {
    const box = (input.flagged ? one?.latencyWithFlagged : one?.latency) ?? null;
    return one && box ? [{ label: name, mark: one.treatment.mark, box }] : [];
  });
  if (boxes.length > 0) {
    builder.figure(
      'Message latency',
      'Box P25 to P75, whiskers P5 to P95, marker at the mean.',
      boxFigure(input.palette, boxes),
    );
  }
  builder.note(
    'Memory is what the process has in use at runtime, its engine included; the study printed the static memory of a firmware (48.3, 73.9 and 59.6 KB), another quantity, which stands alone. Flash has no counterpart on a device with Linux.',
  );
  builder.table('What each configuration protects: by TLS / by the payload cipher', protections(rows));
  const context = contextOf(input, rows);
  const told = input.report?.stability ?? null;
  if (context && told) {
    addStatistics(builder, context, told);
    addVariations(builder, context, told);
    addTlsAgainstHybrid(builder, context, told);
    addSeriesFigures(builder, context, told);
    addMinutes(builder, context, told);
    addEnergyFigures(builder, context, { told, energy: energyEffects(input, rows) });
    addPareto(builder, context, input);
  } else {
    builder.note(
      input.report
        ? 'Gap: no run stored a series of power, so that nothing is said about current, energy and stability over time.'
        : 'The statistics over time are being worked out.',
    );
  }
  addHypotheses(builder, input, rows);
  builder.heading('Agreement and difference');
  for (const sentence of agreement(input, rows)) builder.paragraph(sentence);
  builder.paragraph(repeatability(told));
  const [plain, ...others] = rows.flatMap(({ one }) => one ?? []);
  const pairs = plain ? others.map((one) => [one, plain] as const) : [];
  for (const metric of ['latency.mean', 'energy.publisher', 'memory.publisher.mean']) {
    builder.list(pairSentences(input, metric, pairs));
  }
  builder.paragraph(
    'The published hybrid has no message authentication, which TLS has: the two do not protect the same. ECDH + AES-128-GCM authenticates, and its row is the fair comparison with TLS.',
  );
};

/** One response of one configuration, and how it stands to that of plain; null where either is not known. */
function summaryRows(input: StudyInput, rows: readonly Configuration[]) {
  const [plain] = rows;
  return responses.flatMap((response) =>
    rows.map((row) => {
      const { metric, published } = response;
      const [own, base] = [measured(input, row.one, metric), meanOf(input, plain?.one, metric)];
      const now = printed(published, row);
      const then = plain ? printed(published, plain) : null;
      return {
        response,
        row,
        own,
        published: now,
        publishedRatio: now !== null && then !== null ? now / then : null,
        ratio: own && base ? own.value / base : null,
      };
    }),
  );
}

type SummaryRow = ReturnType<typeof summaryRows>[number];

function summaryTable(input: StudyInput, rows: readonly SummaryRow[]): DocumentTable {
  const volts = input.report?.stability?.volts ?? usualVolts;
  const over = (ratio: number | null) => (ratio === null ? NO_VALUE : formatSigned((ratio - 1) * 100, 1));
  return makeTable(rows, [
    {
      head: 'Response',
      of: ({ response: { label, unit, seconds } }) =>
        `${label}, ${unit}${seconds === undefined ? '' : extrapolation(rows, seconds)}`,
    },
    { head: 'Configuration', of: ({ row }) => row.name },
    { head: 'Published', of: ({ published }) => published },
    { head: 'Measured', of: ({ own, response }) => measuredCell(scaled(own, response.scale(volts))) },
    { head: 'Published, over plain', unit: '%', of: ({ publishedRatio }) => over(publishedRatio) },
    { head: 'Measured, over plain', unit: '%', of: ({ ratio }) => over(ratio) },
  ]);
}

function drawOverhead({ palette }: StudyInput, rows: readonly SummaryRow[]) {
  const drawn = ['mean current', 'mean latency'];
  return drawBeside({
    palette,
    rows: rows
      .filter(({ response, row }) => drawn.includes(response.published) && row.published !== 'plain')
      .map(({ response, row: { name, one }, publishedRatio, ratio }) => ({
        label: name,
        group: response.label,
        published: publishedRatio === null ? [] : [publishedRatio * 100],
        measured: one && ratio !== null ? { mark: one.treatment.mark, value: ratio * 100 } : null,
      })),
    xLabel: '% of plain MQTT',
    label: 'Overhead over plain MQTT: published beside measured',
  });
}

function protections(rows: readonly Configuration[]): DocumentTable {
  const keys = Object.keys(protectionLabels) as (keyof typeof protectionLabels)[];
  const known = rows.flatMap(({ name, one }) =>
    one ? [{ name, ...protectionsOf(one.treatment.spec) }] : [],
  );
  return makeTable(known, [
    { head: 'Configuration', of: ({ name }) => name },
    ...keys.map((key) => ({
      head: protectionLabels[key],
      of: ({ hop, endToEnd }: (typeof known)[number]) =>
        `${hop[key].level} / ${endToEnd?.[key].level ?? 'no'}`,
    })),
  ]);
}

const agreed = [
  { noun: 'current of the emitter', metric: 'power.publisher', published: 'mean current' },
  { noun: 'mean latency', metric: 'latency.mean', published: 'mean latency' },
] as const;

interface Placed {
  name: string;
  then: number;
  now: number;
}

/** Where the published configurations stand to each other, as printed and here; never a claim about a cause. */
function agreement(input: StudyInput, rows: readonly Configuration[]): string[] {
  return agreed.flatMap(({ noun, metric, published }) => {
    const placed = rows.flatMap((row): Placed[] => {
      const [now, then] = [meanOf(input, row.one, metric), printed(published, row)];
      return now === null || then === null ? [] : [{ name: row.name, then, now }];
    });
    const [plain, ...others] = placed;
    if (!plain || others.length === 0 || plain.now <= 0) return [];
    const percent = (value: number, base: number) => `${formatSigned((value / base - 1) * 100, 1)} %`;
    const over = others.map(
      ({ name, then, now }) =>
        `${name} ${percent(then, plain.then)} as printed and ${percent(now, plain.now)} here`,
    );
    const orderOf = (pick: (one: Placed) => number) =>
      placed.toSorted((a, b) => pick(a) - pick(b)).map(({ name }) => name);
    const [was, is] = [orderOf(({ then }) => then), orderOf(({ now }) => now)];
    const order = was.every((name, index) => name === is[index])
      ? 'The order is the published one.'
      : `The order is another one: ${is.join(' < ')} here, ${was.join(' < ')} as printed.`;
    return [
      `Over ${plain.name}, the ${noun}: ${over.join('; ')}. ${order} On the means only: whether a difference is resolved stands below.`,
    ];
  });
}

/** Percent; the study's benchmark of repeatability. */
const benchmark = 5;

function repeatability(told: ReportStability | null): string {
  const current = told?.variables.find(({ id }) => id === 'current.publisher');
  const known = current?.summaries.flatMap(({ cvRuns }) => cvRuns ?? []) ?? [];
  if (known.length === 0) return '';
  const max = Math.max(...known);
  return `The emitter’s mean current varies across runs by at most ${formatNumber(max)} % (coefficient of variation), ${max < benchmark ? 'inside' : 'outside'} the study’s benchmark of ${benchmark} %.`;
}
