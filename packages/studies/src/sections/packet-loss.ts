import type { ComparedTreatment, LatencyBox } from '@mqttlab/shared/domain/runs/comparison';
import { type BoxRow, boxFigure } from '@mqttlab/shared/figures/box-rows-figure';
import type { DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { type Column, makeTable } from '@mqttlab/shared/figures/document/blocks';
import { drawBeside } from '@mqttlab/shared/figures/dots-figure';
import { formatCount, formatFixed, formatNumber } from '@mqttlab/shared/format/number';
import { findPublished, publishedBeside, whyAlone } from '../published.ts';
import { meanOf, measured, measuredCell, measuredColumns } from './measured.ts';
import type { StudyInput, StudySection } from './study-input.ts';

/** The names of the study; it says nothing of confirmable or not. */
const protocols = [
  { level: 'mqtt', name: 'MQTT, QoS 1', mark: 1, printed: 'MQTT' },
  { level: 'coap confirmable', name: 'CoAP confirmable', mark: 2, printed: 'CoAP' },
  { level: 'coap non-confirmable', name: 'CoAP non-confirmable', mark: 3, printed: 'CoAP' },
] as const;

type Protocol = (typeof protocols)[number];

interface LossRow {
  protocol: Protocol;
  /** % */
  loss: number;
  one: ComparedTreatment;
  published: number | null;
}

/** Experiment 3 of the study: what loss does to the exchange, and to the throughput that is computed from it. */
export const packetLoss: StudySection = (input, builder) => {
  const rows = rowsOf(input);
  const unseen = publishedLosses().filter((loss) => !rows.some((row) => row.loss === loss));
  if (unseen.length > 0) {
    builder.note(`Gap: ${unseen.map((loss) => `${loss} %`).join(', ')} of loss were not run here.`);
  }
  const boxes = rows.flatMap(({ one, loss, protocol: { name, mark } }): BoxRow[] => {
    const box = boxOf(input, one);
    return box ? [{ label: `${loss} % ${name}`, mark, box }] : [];
  });
  const hasWhiskers = boxes.some(({ box }) => box.p5 < box.p25 || box.p95 > box.p75);
  builder.figure(
    'Time of an exchange by loss and protocol',
    `From due to answered: PUBLISH to PUBACK, CoAP request to response. Box P25 to P75, ${hasWhiskers ? 'whiskers P5 to P95' : 'no whiskers (P5 and P95 need more messages than these)'}, marker at the mean; means over runs of the quantiles of each.`,
    boxFigure(input.palette, boxes, 'Exchange, ms'),
  );
  const throughput = throughputTable(input, rows);
  builder.figure(
    'Payload over median exchange, published and measured',
    'MB of payload over the median exchange in minutes, as the study defines throughput.',
    { picture: drawThroughput(input, rows), table: throughput },
  );
  builder.table('Throughput by loss, MB/min', throughput);
  builder.table('What became of the messages', fateTable(input, rows));
  builder.table('Latency of MQTT, published and measured', latencyTable(input, rows));
  builder.heading('Agreement and difference');
  for (const sentence of explain(input, rows)) builder.paragraph(sentence);
};

function publishedLosses(): number[] {
  return findPublished({ study: 'rpi-broker', table: 'loss', metric: 'throughput' })
    .filter(({ treatment }) => treatment.startsWith('MQTT'))
    .map(({ treatment }) => Number.parseInt(treatment.replace('MQTT ', ''), 10));
}

function rowsOf({ treatments }: StudyInput): LossRow[] {
  const all = treatments.flatMap((one): LossRow[] => {
    const { levels } = one.treatment;
    const protocol = protocols.find(({ level }) => level === levels.applicationProtocol);
    if (protocol === undefined) return [];
    const loss = Number(levels.loss ?? 0);
    const question = { study: 'rpi-broker', table: 'loss', metric: 'throughput' };
    return [{ protocol, loss, one, published: publishedBeside(one.treatment, question)?.value ?? null }];
  });
  return all.sort((a, b) => a.loss - b.loss || a.protocol.mark - b.protocol.mark);
}

/** null where a run has too few exchanges for its quantiles. */
function boxOf(input: StudyInput, one: ComparedTreatment): LatencyBox | null {
  const of = (metric: string) => meanOf(input, one, `exchange.${metric}`);
  const [p25, p50, p75, mean] = [of('p25'), of('p50'), of('p75'), of('mean')];
  if (p25 === null || p50 === null || p75 === null || mean === null) return null;
  const messages = Math.round(meanOf(input, one, 'count.received') ?? 0);
  // P5 and P95 need more messages than the quartiles: without them the whiskers end at the box.
  return { messages, p5: of('p5') ?? p25, p25, p50, p75, p95: of('p95') ?? p75, mean };
}

function drawThroughput(input: StudyInput, rows: readonly LossRow[]) {
  return drawBeside({
    palette: input.palette,
    rows: rows.flatMap(({ loss, protocol: { name, mark }, one, published }) => {
      const found = measured(input, one, 'exchange.throughput');
      if (found === null && published === null) return [];
      return [
        {
          label: name,
          group: `${loss} % loss`,
          measured: found && { mark, ...found },
          published: published === null ? [] : [published],
        },
      ];
    }),
    xLabel: 'MB/min',
    isLog: true,
    label: 'Throughput by loss and protocol: published beside measured',
  });
}

const leading: readonly Column<LossRow>[] = [
  { head: 'Loss', unit: '%', of: ({ loss }) => loss },
  { head: 'Protocol', of: ({ protocol }) => protocol.name },
];

function throughputTable(input: StudyInput, rows: readonly LossRow[]): DocumentTable {
  const metric = 'exchange.throughput';
  const two = (value: number) => formatFixed(value, 2);
  const ratioOf = ({ one, published }: LossRow) => {
    const found = meanOf(input, one, metric);
    return found !== null && published !== null ? found / published : null;
  };
  return makeTable(rows, [
    ...leading,
    { head: 'Published', unit: 'MB/min', format: two, of: ({ published }) => published },
    ...measuredColumns(input, [{ head: 'Measured', unit: 'MB/min', format: formatNumber, metric }]),
    { head: 'Measured / published', format: two, of: ratioOf },
    ...measuredColumns(input, [
      { head: 'Median exchange', unit: 'ms', format: formatNumber, metric: 'exchange.p50' },
      { head: 'Third quartile', unit: 'ms', format: formatNumber, metric: 'exchange.p75' },
    ]),
  ]);
}

function fateTable(input: StudyInput, rows: readonly LossRow[]): DocumentTable {
  return makeTable(rows, [
    ...leading,
    ...measuredColumns(input, [
      { head: 'Sent', unit: 'messages', metric: 'count.sent' },
      { head: 'Without answer', unit: 'messages', metric: 'count.lost' },
      { head: 'Sent again', unit: 'packets', metric: 'wire.retransmitted' },
      { head: 'Wire bytes per message', unit: 'B', metric: 'wire.perMessage' },
    ]),
  ]);
}

const quantiles: Readonly<Record<string, string>> = {
  'latency, median': 'exchange.p50',
  'latency, third quartile': 'exchange.p75',
};

/** What the study prints of its box plots; a dash where that loss was not run here. */
function latencyTable(input: StudyInput, rows: readonly LossRow[]): DocumentTable {
  return makeTable(findPublished({ study: 'rpi-broker', table: 'loss', unit: 'ms' }), [
    { head: 'Configuration', of: ({ treatment }) => treatment },
    { head: 'Figure', of: ({ metric }) => metric },
    { head: 'Published', unit: 'ms', of: ({ value }) => value },
    {
      head: 'Measured',
      unit: 'ms',
      format: formatNumber,
      of: (value) => {
        const own = rows.find(({ one }) => whyAlone(value, one.treatment) === null);
        return measuredCell(measured(input, own?.one, quantiles[value.metric] ?? ''));
      },
    },
  ]);
}

function explain(input: StudyInput, rows: readonly LossRow[]): string[] {
  return [
    'Compared is one exchange of the publisher with the device of the broker: PUBLISH at QoS 1 to its PUBACK, a CoAP request to its response. Both carry the payload one way and an empty answer back, on the same schedule, and both are timed by one clock from the instant at which the message was due. A subscriber, which CoAP does not have, is no part of it.',
    ...protocols.map((protocol) =>
      sentenceOf(
        input,
        rows.filter((row) => row.protocol === protocol),
      ),
    ),
    'The median does not change if less than half of the messages are slow: if every lost message costs a time-out and the others are fast, the median and the throughput made of it stay flat while the upper quartile and the mean grow. The text prints no quartile of CoAP, so whether this explains its flat throughput is not known.',
  ];
}

/** From no loss to the largest; empty where there are not both. */
function sentenceOf(input: StudyInput, own: readonly LossRow[]): string {
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last || first === last) return '';
  const { name, printed } = first.protocol;
  const [before, after] = [first, last].map(({ one }) => meanOf(input, one, 'exchange.throughput'));
  const published =
    first.published !== null && last.published !== null
      ? ` (published for ${printed}: ${formatNumber(first.published)} and ${formatNumber(last.published)})`
      : '';
  const lost = meanOf(input, last.one, 'count.lost');
  const words = [
    before != null && after != null
      ? `${name}: ${formatNumber(before)} MB/min at ${first.loss} % loss and ${formatNumber(after)} at ${last.loss} %${published}.`
      : '',
    lost === null
      ? ''
      : `${name} at ${last.loss} % loss: ${formatCount(lost)} messages without an answer, mean over runs.`,
  ];
  return words.filter(Boolean).join(' ');
}
