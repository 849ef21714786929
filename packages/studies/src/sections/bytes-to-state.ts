import type { DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { drawBeside } from '@mqttlab/shared/figures/dots-figure';
import { formatCount, formatFixed, formatNumber } from '@mqttlab/shared/format/number';
import { publishedBeside } from '../published.ts';
import { distinctBy, meanOf, measured, measuredColumns, nameBy, variedAmong } from './measured.ts';
import {
  type Added,
  addedByTls,
  addFrames,
  recordBytes,
  type StateRow,
  type StateValue,
} from './state-frames.ts';
import type { StudyInput, StudySection } from './study-input.ts';

/** What the bytes of a state depend on besides plain or TLS; the other levels make no difference to it. */
const states = [
  { state: 'CON', depends: ['cipherSuite', 'certificate', 'chainLength'] },
  { state: 'SUB', depends: [] },
  { state: 'PUB', depends: ['qos'] },
  { state: 'DISC', depends: [] },
] as const;

/** Ethernet, IPv4 and TCP header without and with the option of time stamps (RFC 9293, RFC 7323). */
const barest = 54;
/** SYN and its answer carry two options more than other frames: maximum segment size and window scale. */
const moreInSyn = 8;

/** Experiment 2 of the study: bytes to connect, subscribe, publish, disconnect. */
export const bytesToState: StudySection = (input, builder) => {
  const rows = rowsOf(input);
  const table = tableOf(input, rows);
  builder.figure(
    'Bytes to reach a state, published and measured',
    'Whole frames in both directions, acknowledgements included; SUB, PUB and DISC each start from CON.',
    { picture: draw(input, rows), table },
  );
  builder.table('Where the bytes go: frames, their headers, and what TCP carries', table);
  const added = addedByTls(rows);
  addFrames(input, builder, { rows, added });
  builder.heading('Agreement and difference');
  for (const sentence of explain(rows, added)) builder.paragraph(sentence);
};

function rowsOf(input: StudyInput): StateRow[] {
  return states.flatMap(({ state, depends }) => {
    const varied = variedAmong(input.treatments, depends);
    return distinctBy(input.treatments, ['security', ...depends]).map((one): StateRow => {
      const isPlain = one.treatment.levels.security === 'plain';
      const of = (what: string) => meanOf(input, one, `state.${state}.${what}`);
      return {
        state,
        one,
        isPlain,
        name: nameBy(one, ['security', ...varied]),
        qos: Number(one.treatment.levels.qos ?? 0),
        published:
          publishedBeside(one.treatment, {
            study: 'rpi-broker',
            table: 'bytes-to-state',
            treatment: `${isPlain ? 'TCP' : 'TLS'} ${state}`,
          })?.value ?? null,
        value: countsOf(state, { whole: of('frameBytes'), carried: of('bytes'), frames: of('frames') }),
        certificates: state === 'CON' && !isPlain ? meanOf(input, one, 'state.certificates') : null,
      };
    });
  });
}

function countsOf(
  state: string,
  { whole, carried, frames }: Record<'whole' | 'carried' | 'frames', number | null>,
): StateValue | null {
  if (whole === null || carried === null || frames === null || frames === 0) return null;
  const headers = whole - carried;
  const synBytes = state === 'CON' ? moreInSyn : 0;
  return { whole, carried, frames, headers, header: (headers - 2 * synBytes) / frames, synBytes };
}

function draw(input: StudyInput, rows: readonly StateRow[]) {
  return drawBeside({
    palette: input.palette,
    rows: rows.flatMap(({ state, one, name, published }) => {
      const found = measured(input, one, `state.${state}.frameBytes`);
      if (!found) return [];
      return [
        {
          label: name,
          group: state,
          measured: { mark: one.treatment.mark, ...found },
          published: published === null ? [] : [published],
        },
      ];
    }),
    xLabel: 'B',
    isLog: true,
    label: 'Bytes to reach each state: published beside measured',
  });
}

function tableOf(input: StudyInput, rows: readonly StateRow[]): DocumentTable {
  /** Each state has metrics of its own. */
  const column = (head: string, what: string, unit?: string) => ({
    ...(unit === undefined ? { head } : { head, unit }),
    of: (row: StateRow) =>
      measuredColumns(input, [{ head, metric: `state.${row.state}.${what}` }])[0]?.of(row) ?? null,
  });
  return makeTable(rows, [
    { head: 'State', of: ({ state }) => state },
    { head: 'Configuration', of: ({ name }) => name },
    { head: 'Published', unit: 'B', of: ({ published }) => published },
    column('Measured', 'frameBytes', 'B'),
    {
      head: 'Measured / published',
      format: (value) => formatFixed(value, 2),
      of: ({ value, published }) => (value && published !== null ? value.whole / published : null),
    },
    column('Frames', 'frames'),
    { head: 'Headers', unit: 'B', of: ({ value }) => value?.headers ?? null },
    column('TCP carries', 'bytes', 'B'),
  ]);
}

/** Arithmetic only: what the published figures can hold, and what the measured ones do. */
function explain(rows: readonly StateRow[], added: readonly Added[]): string[] {
  const connects = added.filter(({ row }) => row.state === 'CON');
  return [
    explainConnect(rows.find(({ state, isPlain }) => state === 'CON' && isPlain)),
    explainRatio(connects),
    explainHandshake(connects),
    explainQos(rows.filter(({ state, isPlain }) => state === 'PUB' && isPlain)),
    explainRecords(added),
    'The loopback takes up to 64 KB in a frame. Over Ethernet or WiFi the answer of a TLS server, longer than the 1,448 B of a segment, is cut into several frames with headers and acknowledgements of their own, so that the published bytes to connect over TLS hold more headers.',
  ];
}

function explainConnect(plain: StateRow | undefined): string {
  if (!plain?.value || plain.published === null) return '';
  const { whole, carried, frames, headers } = plain.value;
  return (
    `Connecting over TCP took ${formatCount(whole)} B here, ${formatNumber(whole / plain.published)} times the published ${plain.published} B. ` +
    `${formatCount(frames)} frames were counted, with headers of ${formatNumber(headers / frames)} B each, ${formatCount(headers)} B in all; CONNECT and CONNACK themselves are ${formatCount(carried)} B. ` +
    `The three frames of a TCP handshake and two that carry MQTT have at least ${5 * barest} B of headers alone, more than the published figure: it cannot hold the whole handshake, though ours does.`
  );
}

/** "TLS needs 17.43 times the bytes of TCP to connect", as the study puts it. */
function explainRatio(connects: readonly Added[]): string {
  const [first] = connects;
  if (!first) return '';
  const here = connects.map(
    ({ row, whole, plain }) => `${formatFixed(1 + whole / plain.whole, 2)} times (${row.name})`,
  );
  const published = 1 + first.published / first.publishedPlain;
  return `To connect, TLS needs ${formatFixed(published, 2)} times the bytes of TCP as published, here ${here.join(', ')}: the published ratio stands on a connection over TCP that leaves the handshake out.`;
}

function explainHandshake(connects: readonly Added[]): string {
  const sorted = connects.toSorted((a, b) => a.carried - b.carried);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (!least || !most) return '';
  const spread =
    least === most
      ? `TLS adds ${formatCount(least.carried)} B to what TCP carries until CONNACK (${least.row.name}).`
      : `TLS adds from ${formatCount(least.carried)} B (${least.row.name}) to ${formatCount(most.carried)} B (${most.row.name}) to what TCP carries until CONNACK: the difference is certificates, their signatures and chain.`;
  return `${spread} Published are ${formatCount(least.published)} B more than TCP, frame headers included; what certificate and chain the study's broker sent is not known, and a longer chain would explain more than ours send.`;
}

function explainQos(rows: readonly StateRow[]): string {
  const published = rows[0]?.published ?? null;
  const known = rows.flatMap(({ qos, value }) => (value ? [{ qos, bytes: value.whole }] : []));
  if (published === null || known.length === 0) return '';
  const nearest = known.reduce((best, one) =>
    Math.abs(one.bytes - published) < Math.abs(best.bytes - published) ? one : best,
  );
  return `Publishing took ${known.map(({ qos, bytes }) => `${formatCount(bytes)} B at QoS ${qos}`).join(', ')} over TCP; the published ${published} B are nearest to QoS ${nearest.qos}.`;
}

function explainRecords(added: readonly Added[]): string {
  const after = added.filter(({ row }) => row.state !== 'CON' && isTls13(row));
  const sentences = [...Map.groupBy(after, ({ row }) => row.state)].map(([state, own]) => {
    const here = own.map(({ row, carried }) => {
      const qos = state === 'PUB' ? ` at QoS ${row.qos}` : '';
      return `${formatCount(carried)} B${qos} (${recordsIn(carried)})`;
    });
    const published = own[0]?.published ?? 0;
    return `${state}: ${here.join(', ')}; published ${published} B (${recordsIn(published)})`;
  });
  if (sentences.length === 0) return '';
  return `Each packet travels in a record of TLS, which adds ${recordBytes} B in TLS 1.3 (header 5, content type 1, tag 16). What TLS adds to a state here: ${sentences.join('. ')}. A whole number of records means that nothing else was sent.`;
}

function recordsIn(bytes: number): string {
  return `${formatNumber(bytes / recordBytes, 2)} records`;
}

function isTls13({ one }: StateRow): boolean {
  return one.treatment.levels.security === 'TLS 1.3';
}
