import { protectionLabels } from '../../catalogue/protection.ts';
import { protectionsOf } from '../../catalogue/protections.ts';
import { publishedNumber } from '../../catalogue/protocols/published.ts';
import type { ComparedTreatment } from '../../domain/comparison.ts';
import { formatNumber, formatSigned, NO_VALUE } from '../../format/number.ts';
import { figureWidth } from '../treatments.ts';
import { drawBeside } from './draw-beside.ts';
import { type BoxRow, boxTable, drawBoxRows } from './draw-box-rows.ts';
import { pairSentences } from './relative.ts';
import { measured, measuredCell, type StudyInput, type StudySection } from './study-input.ts';

/** The study's three configurations under its names, then the two that it lacked, then both layers at once. */
const configurations = [
  { name: 'Plain', security: 'plain', payloadCipher: 'none', published: 'plain' },
  { name: 'TLS 1.2', security: 'TLS 1.2', payloadCipher: 'none', published: 'TLS 1.2' },
  {
    name: 'ECDH + AES-128-CBC, no MAC',
    security: 'plain',
    payloadCipher: 'ecdh-p256-aes-128-cbc-as-published',
    published: 'ECDH+AES-128-CBC',
  },
  { name: 'ECDH + AES-128-GCM', security: 'plain', payloadCipher: 'ecdh-p256-aes-128-gcm', published: null },
  { name: 'TLS 1.3', security: 'TLS 1.3', payloadCipher: 'none', published: null },
] as const;

/** What the study printed, and what comes nearest to it here. */
const responses = [
  { label: 'Mean current', metric: 'current.total', published: 'mean current', unit: 'mA', scale: 1 },
  { label: 'Energy', metric: 'charge.total', published: 'cumulative energy', unit: 'mAh', scale: 1 },
  { label: 'Mean latency', metric: 'latency.mean', published: 'mean latency', unit: 'ms', scale: 1 },
  { label: 'Memory, publisher', metric: 'memory.publisher.mean', published: 'RAM', unit: 'KB', scale: 1000 },
] as const;

interface Row {
  name: string;
  published: string | null;
  one: ComparedTreatment | undefined;
}

/** The study's summary with its fair fourth and TLS 1.3, relative overheads, boxes, and what each protects. */
export const stabilityTable: StudySection = (input, builder) => {
  const rows: Row[] = configurations.map(({ name, security, payloadCipher, published }) => ({
    ...{ name, published },
    one: input.treatments.find(
      ({ treatment: { levels } }) => levels.security === security && levels.payloadCipher === payloadCipher,
    ),
  }));
  builder.table('Summary of the study beside this testbed', summary(input, rows));
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
  builder.table('What each configuration protects: by TLS / by the payload cipher', protections(rows));
  builder.note(
    'The tables of stability over time (autocorrelation, block bootstrap, segments of 120 s, sensitivity, battery) are in the report of this experiment.',
  );
  builder.heading('Agreement and difference');
  const [plain, ...others] = rows.flatMap(({ one }) => one ?? []);
  for (const metric of ['latency.mean', 'charge.total']) {
    if (!plain) continue;
    const pairs = others.map((one) => [one, plain] as const);
    for (const sentence of pairSentences(input, metric, pairs)) builder.paragraph(sentence);
  }
  builder.paragraph(
    'The published hybrid has no message authentication: it costs less than TLS partly because it protects less. ECDH + AES-128-GCM is the fair comparison.',
  );
};

function printed(metric: string, treatment: string | null): number | null {
  if (treatment === null) return null;
  return publishedNumber({ study: 'stability-aware', table: 'summary', metric, treatment });
}

function summary(input: StudyInput, rows: readonly Row[]) {
  const plain = rows[0]?.one;
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
          measuredCell(own, scale),
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

function overheadRows(input: StudyInput, rows: readonly Row[]) {
  const plain = rows[0]?.one;
  return responses
    .filter(({ metric }) => metric === 'charge.total' || metric === 'latency.mean')
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

function protections(rows: readonly Row[]) {
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
