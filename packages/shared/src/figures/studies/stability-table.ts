import { protectionsOf } from '../../catalogue/ciphers/payload-ciphers.ts';
import { protectionLabels } from '../../catalogue/ciphers/protection.ts';
import { usualVolts } from '../../catalogue/metrics/energy.ts';
import { formatNumber, formatSigned, NO_VALUE } from '../../format/number.ts';
import { figureWidth } from '../drawing/treatments.ts';
import { drawBeside } from './draw-beside.ts';
import { type BoxRow, boxTable, drawBoxRows } from './draw-box-rows.ts';
import { pairSentences } from './relative.ts';
import { agreementSentences } from './stability/agreement.ts';
import { type Configuration, configurationsOf, contextOf, printed } from './stability/configurations.ts';
import { addEnergyFigures } from './stability/energy-figures.ts';
import { addPareto } from './stability/pareto-section.ts';
import { addSeriesFigures } from './stability/series-figures.ts';
import { addStatistics } from './stability/statistics-tables.ts';
import { measured, measuredCell, type StudyInput, type StudySection } from './study-input.ts';

/** What the study printed, and what comes nearest to it here. */
const responses = [
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
  },
  { label: 'Latency', metric: 'latency.mean', published: 'mean latency', unit: 'ms', scale: () => 1 },
  { label: 'Memory', metric: 'memory.publisher.mean', published: 'RAM', unit: 'KB', scale: () => 1000 },
] as const;

/** The study's summary with its fair fourth and TLS 1.3, its statistics and figures, and what each protects. */
export const stabilityTable: StudySection = (input, builder) => {
  const rows = configurationsOf(input);
  for (const { name, one } of rows) {
    if (!one) builder.note(`Gap: ${name} was not run on this testbed.`);
  }
  builder.table(
    'Summary of the emitter: mean current, cumulative energy, mean latency and memory beside the published ones',
    summary(input, rows),
  );
  builder.figure(
    'Overhead over plain, published and measured',
    'In percent of plain MQTT; energy and latency.',
    {
      picture: drawBeside({
        palette: input.palette,
        rows: overheadRows(input, rows),
        xLabel: '% of plain MQTT',
        width: figureWidth,
        label: 'Overhead over plain MQTT: published beside measured',
      }),
      table: summary(input, rows),
    },
  );
  const boxes = rows.flatMap(({ name, one }): BoxRow[] => {
    const box = (input.flagged ? one?.latencyWithFlagged : one?.latency) ?? null;
    return one && box ? [{ label: name, mark: one.treatment.mark, box }] : [];
  });
  if (boxes.length > 0) {
    builder.figure('Message latency', 'Box P25 to P75, whiskers P5 to P95, marker at the mean.', {
      picture: drawBoxRows(input.palette, boxes),
      table: boxTable(boxes),
    });
  }
  builder.note(
    'Memory is what the process has in use at runtime, its engine included; the study printed the static memory of a firmware, so that only the overheads can be compared.',
  );
  builder.table('What each configuration protects: by TLS / by the payload cipher', protections(rows));
  const context = contextOf(input, rows);
  const stability = input.report?.stability ?? null;
  if (context && stability) {
    addStatistics(builder, context, { stability, rows });
    addSeriesFigures(builder, context, stability);
    addEnergyFigures(builder, context, { stability, rows });
    addPareto(builder, context, { input, rows });
  } else {
    builder.note(
      input.report
        ? 'Gap: no run stored a series of power, so that nothing is said about current, energy and stability over time.'
        : 'The statistics over time are being worked out.',
    );
  }
  builder.heading('Agreement and difference');
  const [plain, ...others] = rows.flatMap(({ one }) => one ?? []);
  for (const sentence of agreementSentences(input, rows)) builder.paragraph(sentence);
  for (const metric of ['latency.mean', 'energy.publisher']) {
    if (!plain) continue;
    const pairs = others.map((one) => [one, plain] as const);
    builder.list(pairSentences(input, metric, pairs));
  }
  builder.paragraph(
    'The published hybrid has no message authentication: it costs less than TLS partly because it protects less. ECDH + AES-128-GCM is the fair comparison.',
  );
};

function summary(input: StudyInput, rows: readonly Configuration[]) {
  const plain = rows[0]?.one;
  const volts = input.report?.stability?.volts ?? usualVolts;
  return {
    columns: [
      { head: 'Response' },
      { head: 'Configuration' },
      { head: 'Published' },
      { head: 'Measured' },
      { head: 'Published, over plain', unit: '%' },
      { head: 'Measured, over plain', unit: '%' },
    ],
    rows: responses.flatMap(({ label, metric, published, unit, scale }) =>
      rows.map(({ name, one, published: treatment }) => {
        const own = one ? measured(input, one, metric) : null;
        const base = plain ? measured(input, plain, metric) : null;
        const [now, then] = [printed(published, treatment), printed(published, 'plain')];
        return [
          `${label}, ${unit}`,
          name,
          now,
          measuredCell(own, scale(volts)),
          now !== null && then !== null ? overText(now / then) : NO_VALUE,
          own && base ? overText(own.value / base.value) : NO_VALUE,
        ];
      }),
    ),
  };
}

function overText(ratio: number): string {
  return formatSigned((ratio - 1) * 100, 1);
}

function overheadRows(input: StudyInput, rows: readonly Configuration[]) {
  const plain = rows[0]?.one;
  return responses
    .filter(({ published }) => published === 'cumulative energy' || published === 'mean latency')
    .flatMap(({ label, metric, published }) =>
      rows.slice(1).map(({ name, one, published: treatment }, index) => {
        const own = one ? measured(input, one, metric) : null;
        const base = plain ? measured(input, plain, metric) : null;
        const [now, then] = [printed(published, treatment), printed(published, 'plain')];
        const value = own && base && base.value > 0 ? (own.value / base.value) * 100 : null;
        return {
          label: name,
          ...(index === 0 ? { group: label } : {}),
          published: now !== null && then !== null ? [(now / then) * 100] : [],
          measured:
            value === null || !one
              ? []
              : [{ mark: one.treatment.mark, value, tip: `${name}: ${formatNumber(value)} % of plain` }],
        };
      }),
    );
}

function protections(rows: readonly Configuration[]) {
  const keys = Object.keys(protectionLabels) as (keyof typeof protectionLabels)[];
  return {
    columns: [{ head: 'Configuration' }, ...keys.map((key) => ({ head: protectionLabels[key] }))],
    rows: rows.flatMap(({ name, one }) => {
      if (!one) return [];
      const { hop, endToEnd } = protectionsOf(one.treatment.spec);
      return [[name, ...keys.map((key) => `${hop[key].level} / ${endToEnd?.[key].level ?? 'no'}`)]];
    }),
  };
}
