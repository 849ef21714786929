import { findPublished, publishedNumber } from '../../../catalogue/studies/published.ts';
import type { ComparedTreatment, LatencyBox } from '../../../domain/runs/comparison.ts';
import { formatCount, formatFixed, formatNumber } from '../../../format/number.ts';
import type { DocumentTable } from '../../document/blocks.ts';
import { figureWidth } from '../../drawing/treatments.ts';
import { type BesideRow, drawBeside } from '../draw-beside.ts';
import { type BoxRow, boxTable, drawBoxRows } from '../draw-box-rows.ts';
import { measured, measuredCell, type StudyInput, type StudySection } from '../study-input.ts';

/** The names of the study; it says nothing of confirmable or not. */
const protocols = [
  { level: 'mqtt', name: 'MQTT, QoS 1', mark: 1, published: 'MQTT' },
  { level: 'coap confirmable', name: 'CoAP confirmable', mark: 2, published: 'CoAP' },
  { level: 'coap non-confirmable', name: 'CoAP non-confirmable', mark: 3, published: 'CoAP' },
] as const;

const three = (value: number) => formatNumber(value);

interface LossRow {
  name: string;
  level: string;
  mark: number;
  /** %, in each direction. */
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
  const boxes = rows.flatMap((row): BoxRow[] => {
    const box = boxOf(input, row.one);
    return box ? [{ label: `${row.loss} % ${row.name}`, mark: row.mark, box }] : [];
  });
  const hasWhiskers = boxes.some(({ box }) => box.p5 < box.p25 || box.p95 > box.p75);
  builder.figure(
    'Time of an exchange by loss and protocol',
    `From due to answered: PUBLISH to PUBACK, CoAP request to response. Box P25 to P75, ${hasWhiskers ? 'whiskers P5 to P95' : 'no whiskers (P5 and P95 need more messages than these)'}, marker at the mean; means over runs of the quantiles of each.`,
    { picture: drawBoxRows(input.palette, boxes, 'Exchange, ms'), table: boxTable(boxes) },
  );
  builder.figure(
    'Payload over median exchange, published and measured',
    'MB of payload over the median exchange in minutes, as the study defines throughput.',
    { picture: drawThroughput(input, rows), table: throughputTable(input, rows) },
  );
  builder.table('Throughput by loss, MB/min', throughputTable(input, rows));
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
    const { name, level, mark } = protocol;
    const treatment = `${protocol.published} ${loss}%`;
    const question = { study: 'rpi-broker', table: 'loss', metric: 'throughput', treatment };
    return [{ name, level, mark, loss, one, published: publishedNumber(question) }];
  });
  return all.sort((a, b) => a.loss - b.loss || a.mark - b.mark);
}

/** null where a run has too few exchanges for its quantiles. */
function boxOf(input: StudyInput, one: ComparedTreatment): LatencyBox | null {
  const of = (metric: string) => measured(input, one, `exchange.${metric}`)?.value ?? null;
  const [p25, p50, p75, mean] = [of('p25'), of('p50'), of('p75'), of('mean')];
  if (p25 === null || p50 === null || p75 === null || mean === null) return null;
  const messages = measured(input, one, 'count.received')?.value ?? 0;
  // P5 and P95 need more messages than the quartiles: without them the whiskers end at the box.
  return { messages: Math.round(messages), p5: of('p5') ?? p25, p25, p50, p75, p95: of('p95') ?? p75, mean };
}

function drawThroughput(input: StudyInput, rows: readonly LossRow[]) {
  const drawn = rows.flatMap(({ loss, name, mark, one, published }, index): BesideRow[] => {
    const found = measured(input, one, 'exchange.throughput');
    if (found === null && published === null) return [];
    const isFirst = rows[index - 1]?.loss !== loss;
    return [
      {
        label: name,
        ...(isFirst ? { group: `${loss} % loss` } : {}),
        measured: found ? [{ mark, ...found, tip: `${name}: ${formatNumber(found.value)} MB/min` }] : [],
        published: published === null ? [] : [published],
      },
    ];
  });
  return drawBeside({
    palette: input.palette,
    rows: drawn,
    xLabel: 'MB/min',
    isLog: true,
    width: figureWidth,
    label: 'Throughput by loss and protocol: published beside measured',
  });
}

const quantiles: Readonly<Record<string, string>> = {
  'latency, median': 'exchange.p50',
  'latency, third quartile': 'exchange.p75',
};

/** What the study prints of its box plots; a dash where that loss was not run here. */
function latencyTable(input: StudyInput, rows: readonly LossRow[]): DocumentTable {
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Figure' },
      { head: 'Published', unit: 'ms' },
      { head: 'Measured', unit: 'ms', format: three },
    ],
    rows: findPublished({ study: 'rpi-broker', table: 'loss', unit: 'ms' }).map(
      ({ treatment, metric, value }) => {
        const row = rows.find(({ level, loss }) => level === 'mqtt' && treatment === `MQTT ${loss}%`);
        const id = quantiles[metric];
        return [treatment, metric, value, row && id ? measuredCell(measured(input, row.one, id)) : null];
      },
    ),
  };
}

function throughputTable(input: StudyInput, rows: readonly LossRow[]): DocumentTable {
  return {
    columns: [
      { head: 'Loss', unit: '%' },
      { head: 'Protocol' },
      { head: 'Published', unit: 'MB/min', format: (value) => formatFixed(value, 2) },
      { head: 'Measured', unit: 'MB/min', format: three },
      { head: 'Measured / published', format: (value) => formatFixed(value, 2) },
      { head: 'Median exchange', unit: 'ms', format: three },
      { head: 'Third quartile', unit: 'ms', format: three },
    ],
    rows: rows.map(({ loss, name, one, published }) => {
      const found = measured(input, one, 'exchange.throughput');
      return [
        loss,
        name,
        published,
        measuredCell(found),
        found && published !== null ? found.value / published : null,
        measuredCell(measured(input, one, 'exchange.p50')),
        measuredCell(measured(input, one, 'exchange.p75')),
      ];
    }),
  };
}

function fateTable(input: StudyInput, rows: readonly LossRow[]): DocumentTable {
  return {
    columns: [
      { head: 'Loss', unit: '%' },
      { head: 'Protocol' },
      { head: 'Sent', unit: 'messages' },
      { head: 'Without answer', unit: 'messages' },
      { head: 'Sent again', unit: 'packets' },
      { head: 'Wire bytes per message', unit: 'B' },
    ],
    rows: rows.map(({ loss, name, one }) => [
      loss,
      name,
      measuredCell(measured(input, one, 'count.sent')),
      measuredCell(measured(input, one, 'count.lost')),
      measuredCell(measured(input, one, 'wire.retransmitted')),
      measuredCell(measured(input, one, 'wire.perMessage')),
    ]),
  };
}

function explain(input: StudyInput, rows: readonly LossRow[]): string[] {
  return [
    'Compared is one exchange of the publisher with the device of the broker: PUBLISH at QoS 1 to its PUBACK, a CoAP request to its response. Both carry the payload one way and an empty answer back, on the same schedule, and both are timed by one clock from the instant at which the message was due. A subscriber, which CoAP does not have, is no part of it.',
    ...protocols.flatMap(({ level, name, published }) =>
      sentencesOf(input, rows, { level, name, published }),
    ),
    'A median does not see what happens to fewer than half of the messages: where every lost message costs a time-out and the rest is fast, the median and the throughput made of it stay flat while the upper quartile and the mean grow. That is why the published throughput of CoAP does not fall with loss.',
  ];
}

function sentencesOf(
  input: StudyInput,
  rows: readonly LossRow[],
  { level, name, published }: { level: string; name: string; published: string },
): string[] {
  const own = rows.filter((row) => row.level === level);
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last || first === last) return [];
  const at = (row: LossRow, metric: string) => measured(input, row.one, metric)?.value ?? null;
  const [before, after] = [at(first, 'exchange.throughput'), at(last, 'exchange.throughput')];
  const lost = at(last, 'count.lost');
  const words: string[] = [];
  if (before !== null && after !== null) {
    const printed =
      first.published !== null && last.published !== null
        ? ` (published for ${published}: ${formatNumber(first.published)} and ${formatNumber(last.published)})`
        : '';
    words.push(
      `${name}: ${formatNumber(before)} MB/min at ${first.loss} % loss and ${formatNumber(after)} at ${last.loss} %${printed}.`,
    );
  }
  if (lost !== null)
    words.push(`At ${last.loss} % ${formatCount(lost)} of its messages stayed without an answer.`);
  return words.length === 0 ? [] : [words.join(' ')];
}
