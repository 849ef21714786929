import { publishedNumber } from '../../../catalogue/studies/published.ts';
import { formatCount, formatFixed, formatNumber, NO_VALUE } from '../../../format/number.ts';
import type { DocumentTable } from '../../document/blocks.ts';
import { figureWidth } from '../../drawing/treatments.ts';
import { type BesideRow, drawBeside } from '../draw-beside.ts';
import {
  distinctBy,
  measured,
  measuredCell,
  nameBy,
  type StudyInput,
  type StudySection,
  variedAmong,
} from '../study-input.ts';
import { addFrames, type StateRow } from './state-frames.ts';

/** What the bytes of a state depend on; the other levels make no difference to it. */
const states = [
  { state: 'CON', depends: ['security', 'cipherSuite', 'certificate', 'chainLength'] },
  { state: 'SUB', depends: ['security'] },
  { state: 'PUB', depends: ['security', 'qos'] },
  { state: 'DISC', depends: ['security'] },
] as const;

/** Ethernet, IPv4 and TCP header without and with the option of time stamps (RFC 9293, RFC 7323). */
const barest = 54;
/** Record header, content type and tag of TLS 1.3 (RFC 8446 section 5.2). */
const recordBytes = 22;

/** Experiment 2 of the study: bytes to connect, subscribe, publish, disconnect. */
export const bytesToState: StudySection = (input, builder) => {
  const rows = states.flatMap(({ state, depends }) =>
    distinctBy(input.treatments, depends).map((one): StateRow => {
      const isPlain = one.treatment.levels.security === 'plain';
      return {
        state,
        one,
        isPlain,
        name: nameBy(one, [
          'security',
          ...variedAmong(
            input.treatments,
            depends.filter((id) => id !== 'security'),
          ),
        ]),
        published: publishedState(isPlain, state),
      };
    }),
  );
  builder.figure(
    'Bytes to reach a state, published and measured',
    'Whole frames in both directions, acknowledgements included; SUB, PUB and DISC each start from CON.',
    { picture: draw(input, rows), table: tableOf(input, rows) },
  );
  builder.table('Where the bytes go: frames, their headers, and what TCP carries', tableOf(input, rows));
  addFrames(input, builder, rows);
  builder.heading('Agreement and difference');
  for (const sentence of explain(input, rows)) builder.paragraph(sentence);
};

function publishedState(isPlain: boolean, state: string): number | null {
  const treatment = `${isPlain ? 'TCP' : 'TLS'} ${state}`;
  return publishedNumber({ study: 'rpi-broker', table: 'bytes-to-state', metric: 'bytes', treatment });
}

function draw(input: StudyInput, rows: readonly StateRow[]) {
  const drawn = rows.flatMap(({ state, one, name, published }, index): BesideRow[] => {
    const found = measured(input, one, `state.${state}.frameBytes`);
    if (!found) return [];
    const { mark } = one.treatment;
    const isFirst = rows[index - 1]?.state !== state;
    return [
      {
        label: name,
        ...(isFirst ? { group: state } : {}),
        measured: [{ mark, ...found, tip: `${name}: ${formatNumber(found.value, 5)} B` }],
        published: published === null ? [] : [published],
      },
    ];
  });
  return drawBeside({
    palette: input.palette,
    rows: drawn,
    xLabel: 'B',
    isLog: true,
    width: figureWidth,
    label: 'Bytes to reach each state: published beside measured',
  });
}

function tableOf(input: StudyInput, rows: readonly StateRow[]): DocumentTable {
  return {
    columns: [
      { head: 'State' },
      { head: 'Configuration' },
      { head: 'Published', unit: 'B' },
      { head: 'Measured', unit: 'B' },
      { head: 'Measured / published', format: (value) => formatFixed(value, 2) },
      { head: 'Frames' },
      { head: 'Headers', unit: 'B' },
      { head: 'TCP carries', unit: 'B' },
    ],
    rows: rows.map(({ state, one, name, published }) => {
      const whole = measured(input, one, `state.${state}.frameBytes`);
      const carried = measured(input, one, `state.${state}.bytes`);
      const headers = whole && carried ? whole.value - carried.value : null;
      return [
        state,
        name,
        published,
        measuredCell(whole),
        whole && published !== null ? whole.value / published : null,
        measuredCell(measured(input, one, `state.${state}.frames`)),
        headers,
        measuredCell(carried),
      ];
    }),
  };
}

/** Arithmetic only: what the published figures can hold, and what the measured ones do. */
function explain(input: StudyInput, rows: readonly StateRow[]): string[] {
  return [
    ...explainConnect(input, rows),
    ...explainRatio(input, rows),
    ...explainHandshake(input, rows),
    ...explainQos(input, rows),
    ...explainRecords(input, rows),
    'The loopback takes up to 64 KB in a frame. Over Ethernet or WiFi the answer of a TLS server, longer than the 1,448 B of a segment, is cut into several frames with headers and acknowledgements of their own, so that the published bytes to connect over TLS hold more headers.',
  ];
}

function bytesOf(
  input: StudyInput,
  { state, one }: StateRow,
  what: 'frameBytes' | 'bytes' | 'frames',
): number {
  return measured(input, one, `state.${state}.${what}`)?.value ?? Number.NaN;
}

function explainConnect(input: StudyInput, rows: readonly StateRow[]): string[] {
  const plain = rows.find(({ state, isPlain }) => state === 'CON' && isPlain);
  if (!plain || plain.published === null) return [];
  const [whole, carried, frames] = (['frameBytes', 'bytes', 'frames'] as const).map((what) =>
    bytesOf(input, plain, what),
  );
  if (!whole || !carried || !frames) return [];
  const perFrame = (whole - carried) / frames;
  return [
    `Connecting over TCP took ${formatCount(whole)} B here, ${formatNumber(whole / plain.published)} times the published ${plain.published} B. ` +
      `${formatCount(frames)} frames were counted, with headers of ${formatNumber(perFrame)} B each, ${formatCount(whole - carried)} B in all; CONNECT and CONNACK themselves are ${formatCount(carried)} B. ` +
      `The three frames of a TCP handshake and two that carry MQTT have at least ${5 * barest} B of headers alone, more than the published figure: it cannot hold the whole handshake, though ours does.`,
  ];
}

/** "TLS needs 17.43 times the bytes of TCP to connect", as the study puts it. */
function explainRatio(input: StudyInput, rows: readonly StateRow[]): string[] {
  const connects = rows.filter(({ state }) => state === 'CON');
  const plain = connects.find(({ isPlain }) => isPlain);
  const [tcp, tls] = [publishedState(true, 'CON'), publishedState(false, 'CON')];
  if (!plain || tcp === null || tls === null) return [];
  const here = connects
    .filter(({ isPlain }) => !isPlain)
    .map((row) => ({
      name: row.name,
      times: bytesOf(input, row, 'frameBytes') / bytesOf(input, plain, 'frameBytes'),
    }))
    .filter(({ times }) => Number.isFinite(times))
    .map(({ name, times }) => `${formatFixed(times, 2)} times (${name})`);
  if (here.length === 0) return [];
  return [
    `To connect, TLS needs ${formatFixed(tls / tcp, 2)} times the bytes of TCP as published, here ${here.join(', ')}: the published ratio stands on a connection over TCP that leaves the handshake out.`,
  ];
}

function explainHandshake(input: StudyInput, rows: readonly StateRow[]): string[] {
  const plain = rows.find(({ state, isPlain }) => state === 'CON' && isPlain);
  const secure = rows.filter(({ state, isPlain }) => state === 'CON' && !isPlain);
  if (!plain || secure.length === 0) return [];
  const own = secure.map((row) => ({
    name: row.name,
    bytes: bytesOf(input, row, 'bytes') - bytesOf(input, plain, 'bytes'),
  }));
  const known = own.filter(({ bytes }) => Number.isFinite(bytes)).sort((a, b) => a.bytes - b.bytes);
  const [least, most] = [known[0], known.at(-1)];
  const [tcp, tls] = [publishedState(true, 'CON'), publishedState(false, 'CON')];
  if (!least || !most || tcp === null || tls === null) return [];
  const spread =
    least === most
      ? `TLS adds ${formatCount(least.bytes)} B to what TCP carries until CONNACK (${least.name}).`
      : `TLS adds from ${formatCount(least.bytes)} B (${least.name}) to ${formatCount(most.bytes)} B (${most.name}) to what TCP carries until CONNACK: the difference is certificates, their signatures and chain.`;
  return [
    `${spread} Published are ${formatCount(tls - tcp)} B more than TCP, frame headers included; what certificate and chain the study's broker sent is not known, and a longer chain would explain more than ours send.`,
  ];
}

function explainQos(input: StudyInput, rows: readonly StateRow[]): string[] {
  const own = rows.filter(({ state, isPlain }) => state === 'PUB' && isPlain);
  const published = publishedState(true, 'PUB');
  const known = own
    .map((row) => ({ qos: row.one.treatment.levels.qos, bytes: bytesOf(input, row, 'frameBytes') }))
    .filter(({ bytes }) => Number.isFinite(bytes));
  if (published === null || known.length === 0) return [];
  const nearest = known.reduce((best, one) =>
    Math.abs(one.bytes - published) < Math.abs(best.bytes - published) ? one : best,
  );
  return [
    `Publishing took ${known.map(({ qos, bytes }) => `${formatCount(bytes)} B at QoS ${qos}`).join(', ')} over TCP; the published ${published} B are nearest to QoS ${nearest.qos}.`,
  ];
}

function explainRecords(input: StudyInput, rows: readonly StateRow[]): string[] {
  const sentences = ['SUB', 'PUB', 'DISC'].flatMap((state) => {
    const [tcp, tls] = [publishedState(true, state), publishedState(false, state)];
    const added = rows
      .filter((row) => row.state === state && row.one.treatment.levels.security === 'TLS 1.3')
      .flatMap((row) => {
        const plain = rows.find(
          (other) =>
            other.state === state &&
            other.isPlain &&
            other.one.treatment.levels.qos === row.one.treatment.levels.qos,
        );
        const bytes = plain ? bytesOf(input, row, 'bytes') - bytesOf(input, plain, 'bytes') : Number.NaN;
        const qos = state !== 'PUB' ? '' : ` at QoS ${row.one.treatment.levels.qos}`;
        return Number.isFinite(bytes) ? [`${formatCount(bytes)} B${qos} (${recordsIn(bytes)})`] : [];
      });
    if (tcp === null || tls === null || added.length === 0) return [];
    return [`${state}: ${added.join(', ')}; published ${tls - tcp} B (${recordsIn(tls - tcp)})`];
  });
  if (sentences.length === 0) return [];
  return [
    `Each packet travels in a record of TLS, which adds ${recordBytes} B in TLS 1.3 (header 5, content type 1, tag 16). What TLS adds to a state here: ${sentences.join('. ')}. A whole number of records means that nothing else was sent.`,
  ];
}

function recordsIn(bytes: number): string {
  return Number.isFinite(bytes) ? `${formatNumber(bytes / recordBytes, 2)} records` : NO_VALUE;
}
