import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { Cell, DocumentBuilder, DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import { meanOf } from './measured.ts';
import type { StudyInput } from './study-input.ts';

/** Bytes and frames of a state, means over runs. */
export interface StateValue {
  whole: number;
  carried: number;
  frames: number;
  headers: number;
  /** Of a frame that is not SYN or its answer. */
  header: number;
  /** What SYN and its answer have more. */
  synBytes: number;
}

/** One state in one configuration. */
export interface StateRow {
  state: string;
  one: ComparedTreatment;
  name: string;
  isPlain: boolean;
  qos: number;
  published: number | null;
  value: StateValue | null;
  certificates: number | null;
}

/** What a state takes over TLS more than over TCP. */
export interface Added {
  row: StateRow;
  plain: StateValue;
  whole: number;
  carried: number;
  frames: number;
  published: number;
  publishedPlain: number;
}

const openingFrames = 3;
/** Record header, content type and tag of TLS 1.3 (RFC 8446 section 5.2). */
export const recordBytes = 22;

/** Frames that carry a packet of MQTT: each is a write of its own. */
function packetsOf({ state, qos }: StateRow): number {
  if (state === 'PUB') return [1, 2, 4][qos] ?? 1;
  return state === 'DISC' ? 1 : 2;
}

export function addedByTls(rows: readonly StateRow[]): Added[] {
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

/** Frame by frame what a state took here, and how many such frames the published figure can hold. */
export function addFrames(
  input: StudyInput,
  builder: DocumentBuilder,
  { rows, added }: { rows: readonly StateRow[]; added: readonly Added[] },
): void {
  const held = rows.flatMap((row) => (row.isPlain ? holds(row) : []));
  builder.table('Packets and certificates of these runs', packetTable(input, rows));
  builder.table(
    'Frame by frame over TCP: what was counted here',
    ownFrames(rows.filter(({ isPlain }) => isPlain)),
  );
  builder.table('Frame by frame over TCP: what the published figures can hold', publishedFrames(held));
  builder.table('What TLS adds to a state, here and published', addedTable(added));
  builder.paragraph(explainHeld(held));
  for (const sentence of explainChain(added)) builder.paragraph(sentence);
  builder.paragraph(explainClosing(added));
}

/** The answers of a broker under MQTT 3.1.1, where they have no properties (its sections 3.2 and 3.9). */
const propertyFree: Readonly<Record<string, number>> = { CONNACK: 4, SUBACK: 5 };

function packetTable(input: StudyInput, rows: readonly StateRow[]): DocumentTable {
  const first = rows.find(({ isPlain }) => isPlain) ?? rows[0];
  const packets = ['CONNECT', 'CONNACK', 'SUBSCRIBE', 'SUBACK', 'PUBLISH'].flatMap((name): Cell[][] => {
    const bytes = meanOf(input, first?.one, `state.packet.${name}`);
    const without = propertyFree[name];
    if (bytes === null) return [];
    return [[name, bytes, without === undefined ? null : Math.max(0, bytes - without)]];
  });
  return {
    columns: [
      { head: 'Part' },
      { head: 'Length', unit: 'B' },
      { head: 'Of it properties of MQTT 5', unit: 'B' },
    ],
    rows: [
      ...packets,
      ...rows.flatMap(({ name, certificates }) =>
        certificates === null ? [] : [[`Certificates, ${name}`, certificates, null]],
      ),
    ],
  };
}

function ownFrames(rows: readonly StateRow[]): DocumentTable {
  return {
    columns: [
      { head: 'State' },
      { head: 'Frames' },
      { head: 'Count' },
      { head: 'Header each', unit: 'B' },
      { head: 'Headers', unit: 'B' },
      { head: 'TCP carries', unit: 'B' },
    ],
    rows: rows.flatMap((row): Cell[][] => {
      if (!row.value) return [];
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
    }),
  };
}

interface Held {
  row: StateRow;
  value: StateValue;
  published: number;
  frames: number;
  left: number;
}

/** As many whole headers as leave something to be carried. */
function holds(row: StateRow): Held[] {
  const { value, published } = row;
  if (!value || published === null) return [];
  const frames = Math.floor((published - 1) / value.header);
  return [{ row, value, published, frames, left: published - frames * value.header }];
}

function publishedFrames(all: readonly Held[]): DocumentTable {
  return makeTable(all, [
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

function addedTable(added: readonly Added[]): DocumentTable {
  return makeTable(added, [
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

function explainHeld(held: readonly Held[]): string {
  const [first] = held;
  if (first === undefined) return '';
  const said = firstOfState(held).map(
    ({ row, frames, left }) => `${row.state} ${frames} frames and ${formatCount(left)} B of MQTT`,
  );
  return `A frame has headers of ${formatNumber(first.value.header)} B here (Ethernet, IPv4, TCP with time stamps). With the same headers the published figures hold ${said.join(', ')}. Ours hold the TCP handshake and every acknowledgement as well.`;
}

/** How large a chain of certificates would make up for what is missing to the published handshake. */
function explainChain(added: readonly Added[]): string[] {
  return added.flatMap(({ row, whole, published }) => {
    const own = row.certificates;
    if (own === null) return [];
    const missing = published - whole;
    return [
      `${row.name}: TLS adds ${formatCount(whole)} B to connecting here, ${formatCount(own)} B of them certificates, against ${formatCount(published)} B published. The ${formatCount(Math.abs(missing))} B ${missing >= 0 ? 'more' : 'less'} would be explained by certificates of ${formatCount(own + missing)} B in all, if all else is alike.`,
    ];
  });
}

/** Published bytes of TLS beyond records for the packets: another frame, or a record that says good-bye. */
function explainClosing(added: readonly Added[]): string {
  const after = added.filter(
    // The study published its PUB of four packets (QoS 2), as its figure over TCP shows.
    ({ row }) =>
      row.state !== 'CON' &&
      row.one.treatment.levels.security === 'TLS 1.3' &&
      (row.state !== 'PUB' || packetsOf(row) === 4),
  );
  const words = firstOfState(after).map(({ row, published, plain }) => {
    const packets = packetsOf(row);
    const rest = published - packets * recordBytes;
    const frames = Math.max(0, Math.floor(rest / plain.header));
    const left = rest - frames * plain.header;
    const more =
      rest === 0
        ? 'and nothing else'
        : `${frames} frame${frames === 1 ? '' : 's'} more and ${formatCount(left)} B`;
    return `${row.state} ${formatCount(published)} B: ${packets} record${packets === 1 ? '' : 's'} of ${recordBytes} B, ${more}`;
  });
  if (words.length === 0) return '';
  return `What TLS adds to the published states beyond connecting: ${words.join('; ')}. A closing alert (close_notify) is a record of 24 B.`;
}

function firstOfState<T extends { row: StateRow }>(all: readonly T[]): T[] {
  return [...Map.groupBy(all, ({ row }) => row.state).values()].flatMap(([first]) => first ?? []);
}
