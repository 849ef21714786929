import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { formatCount, formatNumber } from '../../../format/number.ts';
import type { Cell, DocumentBuilder, DocumentTable } from '../../document/blocks.ts';
import { measured, type StudyInput } from '../study-input.ts';

/** One state in one configuration. */
export interface StateRow {
  state: string;
  one: ComparedTreatment;
  name: string;
  isPlain: boolean;
  published: number | null;
}

/** SYN and its answer carry two options more than other frames: maximum segment size and window scale. */
const moreInSyn = 8;
const openingFrames = 3;
/** Record header, content type and tag of TLS 1.3 (RFC 8446 section 5.2). */
const recordBytes = 22;

/** Frames that carry a packet of MQTT: each is a write of its own. */
function packetsOf({ state, one }: StateRow): number {
  if (state === 'PUB') return [1, 2, 4][Number(one.treatment.levels.qos ?? 0)] ?? 1;
  return state === 'DISC' ? 1 : 2;
}

interface Counted {
  frames: number;
  /** Of a frame that is not SYN or its answer. */
  header: number;
  headers: number;
  carried: number;
}

function countedOf(input: StudyInput, { state, one }: StateRow): Counted | null {
  const of = (what: string) => measured(input, one, `state.${state}.${what}`)?.value ?? null;
  const [whole, carried, frames] = [of('frameBytes'), of('bytes'), of('frames')];
  if (whole === null || carried === null || frames === null || frames === 0) return null;
  const headers = whole - carried;
  const header = (headers - (state === 'CON' ? 2 * moreInSyn : 0)) / frames;
  return { frames, header, headers, carried };
}

/** Frame by frame what a state took here, and how many such frames the published figure can hold. */
export function addFrames(input: StudyInput, builder: DocumentBuilder, rows: readonly StateRow[]): void {
  const plain = rows.filter(({ isPlain }) => isPlain);
  const parts = packetTable(input, rows);
  if (parts.rows.length > 0) builder.table('Packets and certificates of these runs', parts);
  builder.table('Frame by frame over TCP: what was counted here', ownFrames(input, plain));
  builder.table(
    'Frame by frame over TCP: what the published figures can hold',
    publishedFrames(input, plain),
  );
  builder.table('What TLS adds to a state, here and published', addedByTls(input, rows));
  for (const sentence of explainFrames(input, rows)) builder.paragraph(sentence);
}

function packetTable(input: StudyInput, rows: readonly StateRow[]): DocumentTable {
  const first = rows.find(({ isPlain }) => isPlain) ?? rows[0];
  const packets = ['CONNECT', 'CONNACK', 'SUBSCRIBE', 'SUBACK', 'PUBLISH'].flatMap((name): Cell[][] => {
    const bytes = first ? measured(input, first.one, `state.packet.${name}`)?.value : undefined;
    const without = propertyFree[name];
    if (bytes === undefined) return [];
    return [[name, bytes, without === undefined ? null : Math.max(0, bytes - without)]];
  });
  const certificates = rows
    .filter(({ state, isPlain }) => state === 'CON' && !isPlain)
    .flatMap(({ one, name }): Cell[][] => {
      const found = measured(input, one, 'state.certificates');
      return found ? [[`Certificates, ${name}`, found.value, null]] : [];
    });
  return {
    columns: [
      { head: 'Part' },
      { head: 'Length', unit: 'B' },
      { head: 'Of it properties of MQTT 5', unit: 'B' },
    ],
    rows: [...packets, ...certificates],
  };
}

/** The answers of a broker under MQTT 3.1.1, where they have no properties (its sections 3.2 and 3.9). */
const propertyFree: Readonly<Record<string, number>> = { CONNACK: 4, SUBACK: 5 };

function ownFrames(input: StudyInput, rows: readonly StateRow[]): DocumentTable {
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
      const counted = countedOf(input, row);
      if (counted === null) return [];
      const { frames, header, carried } = counted;
      const packets = packetsOf(row);
      const opening = row.state === 'CON' ? openingFrames : 0;
      const bare = frames - packets - opening;
      const qos = row.state === 'PUB' ? ` at QoS ${row.one.treatment.levels.qos}` : '';
      const openings: Cell[][] =
        opening === 0
          ? []
          : [
              ['SYN, SYN with ACK', 2, header + moreInSyn, 2 * (header + moreInSyn), 0],
              ['ACK of the handshake', 1, header, header, 0],
            ];
      const others: Cell[][] = [
        [`MQTT packets${qos}`, packets, header, packets * header, carried],
        ...(bare > 0 ? [['ACK alone, FIN', bare, header, bare * header, 0]] : []),
      ];
      return [...openings, ...others].map((cells) => [row.state, ...cells]);
    }),
  };
}

interface Held {
  frames: number;
  left: number;
}

/** As many whole headers as leave something to be carried. */
function holds(bytes: number, header: number): Held {
  const frames = Math.floor((bytes - 1) / header);
  return { frames, left: bytes - frames * header };
}

function publishedFrames(input: StudyInput, rows: readonly StateRow[]): DocumentTable {
  return {
    columns: [
      { head: 'State' },
      { head: 'Published', unit: 'B' },
      { head: 'Frames of our header' },
      { head: 'Left for MQTT', unit: 'B' },
      { head: 'Frames here' },
      { head: 'MQTT here', unit: 'B' },
      { head: 'Of the difference: frames', unit: 'B' },
      { head: 'MQTT', unit: 'B' },
    ],
    rows: rows.flatMap((row): Cell[][] => {
      const counted = countedOf(input, row);
      if (counted === null || row.published === null) return [];
      const { frames, headers, header, carried } = counted;
      const held = holds(row.published, header);
      const qos = row.state === 'PUB' ? `, QoS ${row.one.treatment.levels.qos}` : '';
      return [
        [
          `${row.state}${qos}`,
          row.published,
          held.frames,
          held.left,
          frames,
          carried,
          headers - held.frames * header,
          carried - held.left,
        ],
      ];
    }),
  };
}

interface Added {
  row: StateRow;
  /** More than over TCP: whole frames, and what TCP carries. */
  whole: number;
  carried: number;
  frames: number;
  header: number;
  published: number;
}

function addedOf(input: StudyInput, rows: readonly StateRow[]): Added[] {
  return rows.flatMap((row): Added[] => {
    const plain = rows.find(
      (other) =>
        other.isPlain &&
        other.state === row.state &&
        (row.state !== 'PUB' || other.one.treatment.levels.qos === row.one.treatment.levels.qos),
    );
    if (row.isPlain || !plain || row.published === null || plain.published === null) return [];
    const [own, other] = [countedOf(input, row), countedOf(input, plain)];
    if (own === null || other === null) return [];
    const carried = own.carried - other.carried;
    return [
      {
        row,
        carried,
        whole: own.headers + own.carried - other.headers - other.carried,
        frames: own.frames - other.frames,
        header: other.header,
        published: row.published - plain.published,
      },
    ];
  });
}

function addedByTls(input: StudyInput, rows: readonly StateRow[]): DocumentTable {
  return {
    columns: [
      { head: 'State' },
      { head: 'Configuration' },
      { head: 'Published', unit: 'B' },
      { head: 'Measured', unit: 'B' },
      { head: 'Frames more' },
      { head: 'Their headers', unit: 'B' },
      { head: 'Certificates', unit: 'B' },
      { head: 'Rest of handshake and records', unit: 'B' },
    ],
    rows: addedOf(input, rows).map(({ row, whole, carried, frames, header, published }) => {
      const certificates =
        row.state === 'CON' ? (measured(input, row.one, 'state.certificates')?.value ?? null) : null;
      return [
        row.state,
        row.name,
        published,
        whole,
        frames,
        frames * header,
        certificates,
        carried - (certificates ?? 0),
      ];
    }),
  };
}

function explainFrames(input: StudyInput, rows: readonly StateRow[]): string[] {
  const plain = rows.filter(({ isPlain }) => isPlain);
  const held = plain.flatMap((row) => {
    const counted = countedOf(input, row);
    if (counted === null || row.published === null) return [];
    const { frames, left } = holds(row.published, counted.header);
    return [{ row, frames, left, header: counted.header }];
  });
  const distinct = held.filter(
    ({ row }, index) => held.findIndex((one) => one.row.state === row.state) === index,
  );
  const [first] = distinct;
  const words: string[] = [];
  if (first !== undefined) {
    words.push(
      `A frame has headers of ${formatNumber(first.header)} B here (Ethernet, IPv4, TCP with time stamps). With the same headers the published figures hold ${distinct
        .map(({ row, frames, left }) => `${row.state} ${frames} frames and ${formatCount(left)} B of MQTT`)
        .join(', ')}. Ours hold the TCP handshake and every acknowledgement as well.`,
    );
  }
  return [...words, ...explainChain(input, rows), ...explainClosing(input, rows)];
}

/** How large a chain of certificates would make up for what is missing to the published handshake. */
function explainChain(input: StudyInput, rows: readonly StateRow[]): string[] {
  return addedOf(input, rows).flatMap(({ row, whole, published }) => {
    const own = row.state === 'CON' ? measured(input, row.one, 'state.certificates')?.value : undefined;
    if (own === undefined) return [];
    const missing = published - whole;
    const needed = own + missing;
    return [
      `${row.name}: TLS adds ${formatCount(whole)} B to connecting here, ${formatCount(own)} B of them certificates, against ${formatCount(published)} B published. The ${formatCount(Math.abs(missing))} B ${missing >= 0 ? 'more' : 'less'} would be explained by certificates of ${formatCount(needed)} B in all, if all else is alike.`,
    ];
  });
}

/** Published bytes of TLS beyond records for the packets: another frame, or a record that says good-bye. */
function explainClosing(input: StudyInput, rows: readonly StateRow[]): string[] {
  const added = addedOf(input, rows).filter(
    ({ row }) => row.state !== 'CON' && row.one.treatment.levels.security === 'TLS 1.3',
  );
  // The study published its PUB of four packets (QoS 2), as its figure over TCP shows.
  const chosen = added.filter(({ row }) => row.state !== 'PUB' || packetsOf(row) === 4);
  const seen = chosen.filter(({ row }, i) => chosen.findIndex((one) => one.row.state === row.state) === i);
  const words = seen.map(({ row, published, header }) => {
    const packets = packetsOf(row);
    const rest = published - packets * recordBytes;
    const frames = Math.max(0, Math.floor(rest / header));
    const left = rest - frames * header;
    const more =
      rest === 0
        ? 'and nothing else'
        : `${frames} frame${frames === 1 ? '' : 's'} more and ${formatCount(left)} B`;
    return `${row.state} ${formatCount(published)} B: ${packets} record${packets === 1 ? '' : 's'} of ${recordBytes} B, ${more}`;
  });
  return words.length === 0
    ? []
    : [
        `What TLS adds to the published states beyond connecting: ${words.join('; ')}. A closing alert (close_notify) is a record of 24 B.`,
      ];
}
