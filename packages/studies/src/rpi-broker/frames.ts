import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { distinctBy, meanOf, nameBy, variedAmong } from '@mqttlab/shared/figures/blocks/measured';
import { type Cell, type DocumentTable, makeTable } from '@mqttlab/shared/figures/document/blocks';
import { formatCount, formatFixed, formatNumber } from '@mqttlab/shared/format/number';
import type { StudyInput } from '../page/input.ts';
import { publishedBeside } from '../published.ts';

/** The states of the study, and what their bytes depend on besides plain or TLS. */
export const states = [
  { state: 'CON', depends: ['cipherSuite', 'certificate', 'chainLength'] },
  { state: 'SUB', depends: [] },
  { state: 'PUB', depends: ['qos'] },
  { state: 'DISC', depends: [] },
] as const;

/** Ethernet, IPv4 and TCP header without the option of time stamps (RFC 9293). */
const barest = 54;
/** SYN and its answer carry two options more than other frames: maximum segment size and window scale. */
const moreInSyn = 8;
const openingFrames = 3;
/** Record header, content type and tag of TLS 1.3 (RFC 8446 section 5.2). */
const recordBytes = 22;

/** Bytes and frames of a state, means over runs. */
interface StateValue {
  whole: number;
  carried: number;
  frames: number;
  headers: number;
  /** Of a frame that is not SYN or its answer. */
  header: number;
  synBytes: number;
}

/** One state in one configuration. */
interface StateRow {
  state: string;
  one: ComparedTreatment;
  name: string;
  isPlain: boolean;
  qos: number;
  published: number | null;
  value: StateValue | null;
  certificates: number | null;
}

function rowsOf(input: StudyInput): StateRow[] {
  return states.flatMap(({ state, depends }) => {
    const varied = variedAmong(input.treatments, depends);
    return distinctBy(input.treatments, ['security', ...depends]).map((one): StateRow => {
      const isPlain = one.treatment.levels.security === 'plain';
      const of = (what: string) => meanOf(input, one, `state.${state}.${what}`);
      const treatment = `${isPlain ? 'TCP' : 'TLS'} ${state}`;
      return {
        state,
        one,
        isPlain,
        name: nameBy(one, ['security', ...varied]),
        qos: Number(one.treatment.levels.qos ?? 0),
        published:
          publishedBeside(one.treatment, { study: 'rpi-broker', table: 'bytes-to-state', treatment })
            ?.value ?? null,
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

/** Frames that carry a packet of MQTT: each is written separately. */
function packetsOf({ state, qos }: StateRow): number {
  if (state === 'PUB') return [1, 2, 4][qos] ?? 1;
  return state === 'DISC' ? 1 : 2;
}

interface Added {
  row: StateRow;
  plain: StateValue;
  whole: number;
  carried: number;
  frames: number;
  published: number;
  publishedPlain: number;
}

/** What a state takes over TLS more than over TCP. */
function addedByTls(rows: readonly StateRow[]): Added[] {
  return rows.flatMap((row): Added[] => {
    const plain = rows.find(
      (other) => other.isPlain && other.state === row.state && (row.state !== 'PUB' || other.qos === row.qos),
    );
    if (row.isPlain || row.published === null || !row.value) return [];
    if (!plain?.value || plain.published === null) return [];
    return [
      {
        row,
        plain: plain.value,
        whole: row.value.whole - plain.value.whole,
        carried: row.value.carried - plain.value.carried,
        frames: row.value.frames - plain.value.frames,
        published: row.published - plain.published,
        publishedPlain: plain.published,
      },
    ];
  });
}

/** Frame by frame, what a state took here over TCP. */
export function framesHere(input: StudyInput): DocumentTable {
  const rows = rowsOf(input).flatMap((row): Cell[][] => {
    if (!row.value || !row.isPlain) return [];
    const { frames, header, carried, synBytes } = row.value;
    const packets = packetsOf(row);
    const opening = row.state === 'CON' ? openingFrames : 0;
    const qos = row.state === 'PUB' ? ` at QoS ${row.qos}` : '';
    const kinds = [
      { what: 'SYN, SYN with ACK', count: opening && 2, each: header + synBytes, bytes: 0 },
      { what: 'ACK of the handshake', count: opening && 1, each: header, bytes: 0 },
      { what: `MQTT packets${qos}`, count: packets, each: header, bytes: carried },
      { what: 'ACK alone, FIN', count: frames - packets - opening, each: header, bytes: 0 },
    ];
    return kinds.flatMap(({ what, count, each, bytes }) =>
      count > 0 ? [[row.state, what, count, each, count * each, bytes]] : [],
    );
  });
  const heads = ['State', 'Frames', 'Count'].map((head) => ({ head }));
  const bytes = ['Header each', 'Headers', 'TCP carries'].map((head) => ({ head, unit: 'B' }));
  return { columns: [...heads, ...bytes], rows };
}

interface Held {
  row: StateRow;
  value: StateValue;
  published: number;
  frames: number;
  left: number;
}

/** As many whole headers as leave something to carry. */
function heldBy(rows: readonly StateRow[]): Held[] {
  return rows.flatMap((row) => {
    const { value, published } = row;
    if (!row.isPlain || !value || published === null) return [];
    const frames = Math.floor((published - 1) / value.header);
    return [{ row, value, published, frames, left: published - frames * value.header }];
  });
}

/** How many such frames the published bytes can hold. */
export function framesPublished(input: StudyInput): DocumentTable {
  return makeTable(heldBy(rowsOf(input)), [
    { head: 'State', of: ({ row: { state, qos } }) => `${state}${state === 'PUB' ? `, QoS ${qos}` : ''}` },
    { head: 'Published', unit: 'B', of: ({ published }) => published },
    { head: 'Frames of our header', of: ({ frames }) => frames },
    { head: 'Left for MQTT', unit: 'B', of: ({ left }) => left },
    { head: 'Frames here', of: ({ value }) => value.frames },
    { head: 'MQTT here', unit: 'B', of: ({ value }) => value.carried },
    {
      head: 'Of the difference: frames',
      unit: 'B',
      of: ({ value, frames }) => value.headers - frames * value.header,
    },
    { head: 'MQTT', unit: 'B', of: ({ value, left }) => value.carried - left },
  ]);
}

/** What TLS adds to each state, by headers, certificates and the rest. */
export function addedTable(input: StudyInput): DocumentTable {
  return makeTable(addedByTls(rowsOf(input)), [
    { head: 'State', of: ({ row }) => row.state },
    { head: 'Configuration', of: ({ row }) => row.name },
    { head: 'Published', unit: 'B', of: ({ published }) => published },
    { head: 'Measured', unit: 'B', of: ({ whole }) => whole },
    { head: 'Frames more', of: ({ frames }) => frames },
    { head: 'Their headers', unit: 'B', of: ({ frames, plain }) => frames * plain.header },
    { head: 'Certificates', unit: 'B', of: ({ row }) => row.certificates },
    {
      head: 'Rest of handshake and records',
      unit: 'B',
      of: ({ row, carried }) => carried - (row.certificates ?? 0),
    },
  ]);
}

/** Arithmetic only: what the published bytes can hold, and what ours do. */
export function explainBytes(input: StudyInput): string {
  const rows = rowsOf(input);
  const added = addedByTls(rows);
  const connects = added.filter(({ row }) => row.state === 'CON');
  return [
    explainConnect(rows.find(({ state, isPlain }) => state === 'CON' && isPlain)),
    explainRatio(connects),
    explainQos(rows.filter(({ state, isPlain }) => state === 'PUB' && isPlain)),
    explainRecords(added),
  ]
    .filter(Boolean)
    .join(' ');
}

function explainConnect(plain: StateRow | undefined): string {
  if (!plain?.value || plain.published === null) return '';
  const { whole, carried, frames, headers } = plain.value;
  return (
    `Connecting over TCP took ${formatCount(whole)} B here, ${formatNumber(whole / plain.published)} times the published ${plain.published} B: ` +
    `${formatCount(frames)} frames with ${formatCount(headers)} B of headers, and ${formatCount(carried)} B of CONNECT and CONNACK. ` +
    `Three frames of a TCP handshake and two that carry MQTT have at least ${5 * barest} B of headers alone, more than the published bytes, which therefore cannot include the whole handshake.`
  );
}

function explainRatio(connects: readonly Added[]): string {
  const [first] = connects;
  if (!first) return '';
  const here = connects.map(
    ({ row, whole, plain }) => `${formatFixed(1 + whole / plain.whole, 2)} times (${row.name})`,
  );
  const published = formatFixed(1 + first.published / first.publishedPlain, 2);
  return `To connect, TLS needs ${published} times the bytes of TCP as published, here ${here.join(', ')}.`;
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

function isTls13({ one }: StateRow): boolean {
  return one.treatment.levels.security === 'TLS 1.3';
}

function explainRecords(added: readonly Added[]): string {
  const after = added.filter(({ row }) => row.state !== 'CON' && isTls13(row));
  const records = (bytes: number) => `${formatNumber(bytes / recordBytes, 2)} records`;
  const sentences = [...Map.groupBy(after, ({ row }) => row.state)].map(([state, own]) => {
    const here = own.map(({ row, carried }) => {
      const qos = state === 'PUB' ? ` at QoS ${row.qos}` : '';
      return `${formatCount(carried)} B${qos} (${records(carried)})`;
    });
    const published = own[0]?.published ?? 0;
    return `${state} ${here.join(', ')}, published ${published} B (${records(published)})`;
  });
  if (sentences.length === 0) return '';
  return `A record of TLS 1.3 adds ${recordBytes} B to a packet. What TLS adds here: ${sentences.join('; ')}.`;
}
