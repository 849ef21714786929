/** One TCP segment in a capture; addresses are hexadecimal digits. */
export interface Segment {
  /** Unix time, µs. */
  atUs: number;
  from: { address: string; port: number };
  to: { address: string; port: number };
  sequence: number;
  flags: { fin: boolean; syn: boolean; reset: boolean };
  /** Number of payload bytes, and the captured part of them. */
  payloadBytes: number;
  payload: Buffer;
}

export interface PcapFile {
  packets: number;
  segments: Segment[];
  /** True if the last packet is incomplete because the program exited while writing. */
  isCut: boolean;
}

/** <https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-05.html>, section 4. */
const [fileHeaderBytes, packetHeaderBytes] = [24, 16];
const microsecondMagic = 0xa1b2c3d4;
const nanosecondMagic = 0xa1b23c4d;

/**
 * For each number in <https://www.tcpdump.org/linktypes.html>: bytes before the IP header, and the offset of
 * the EtherType.
 */
const linkTypes: Readonly<Record<number, { headerBytes: number; typeAt: number | null }>> = {
  1: { headerBytes: 14, typeAt: 12 },
  101: { headerBytes: 0, typeAt: null },
  113: { headerBytes: 16, typeAt: 14 },
  276: { headerBytes: 20, typeAt: 0 },
};
const etherTypes: readonly number[] = [0x0800, 0x86dd];
const tcp = 6;

/** Throws RangeError if the file is not a pcap file, or its link type is not supported. */
export function readPcap(file: Buffer): PcapFile {
  const isLittle = [microsecondMagic, nanosecondMagic].includes(file.length < 4 ? 0 : file.readUInt32LE(0));
  const read = (at: number) => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at));
  if (file.length < fileHeaderBytes || ![microsecondMagic, nanosecondMagic].includes(read(0))) {
    throw new RangeError('the file is not a pcap file');
  }
  const fractionsPerUs = read(0) === nanosecondMagic ? 1000 : 1;
  const link = linkTypes[read(20) & 0xffff];
  if (link === undefined) throw new RangeError(`link type ${read(20)} is not supported`);
  const found: PcapFile = { packets: 0, segments: [], isCut: false };
  let at = fileHeaderBytes;
  while (at < file.length) {
    const next =
      at + packetHeaderBytes < file.length ? at + packetHeaderBytes + read(at + 8) : file.length + 1;
    found.isCut = next > file.length;
    if (found.isCut) break;
    found.packets += 1;
    const atUs = read(at) * 1e6 + read(at + 4) / fractionsPerUs;
    const packet = file.subarray(at + packetHeaderBytes, next);
    const type = link.typeAt === null ? null : packet.length > 20 ? packet.readUInt16BE(link.typeAt) : 0;
    if (type === null || etherTypes.includes(type)) {
      const segment = readIp(packet.subarray(link.headerBytes), atUs);
      if (segment !== null) found.segments.push(segment);
    }
    at = next;
  }
  return found;
}

/**
 * Returns null if the packet is not TCP, is a fragment, or has too few captured bytes. RFC 791 and RFC 8200;
 * extension headers are not supported.
 */
function readIp(packet: Buffer, atUs: number): Segment | null {
  const version = (packet[0] ?? 0) >> 4;
  if (version === 4 && packet.length >= 20) {
    const headerBytes = (packet.readUInt8() & 15) * 4;
    const isFragment = (packet.readUInt16BE(6) & 0x3fff) !== 0;
    if (packet[9] !== tcp || isFragment) return null;
    const [from, to] = [packet.toString('hex', 12, 16), packet.toString('hex', 16, 20)];
    return readTcp(packet.subarray(headerBytes), packet.readUInt16BE(2) - headerBytes, { atUs, from, to });
  }
  if (version === 6 && packet.length >= 40 && packet[6] === tcp) {
    const [from, to] = [packet.toString('hex', 8, 24), packet.toString('hex', 24, 40)];
    return readTcp(packet.subarray(40), packet.readUInt16BE(4), { atUs, from, to });
  }
  return null;
}

/**
 * Parses a TCP header (RFC 9293 section 3.1). `bytes` is the length of the complete segment according to the
 * IP header.
 */
function readTcp(
  segment: Buffer,
  bytes: number,
  { atUs, from, to }: { atUs: number; from: string; to: string },
): Segment | null {
  if (segment.length < 20) return null;
  const headerBytes = (segment.readUInt8(12) >> 4) * 4;
  const flags = segment.readUInt8(13);
  const payloadBytes = Math.max(0, bytes - headerBytes);
  return {
    atUs,
    from: { address: from, port: segment.readUInt16BE(0) },
    to: { address: to, port: segment.readUInt16BE(2) },
    sequence: segment.readUInt32BE(4),
    flags: { fin: (flags & 1) !== 0, syn: (flags & 2) !== 0, reset: (flags & 4) !== 0 },
    payloadBytes,
    payload: segment.subarray(headerBytes, headerBytes + payloadBytes),
  };
}

const sequenceNumbers = 2 ** 32;
/** Maximum number of segments that overtook others and wait for them. */
const maxWaiting = 1024;

export interface StreamReader {
  /**
   * Receives the next bytes of the stream and the time of their last segment in Unix µs; valid only within
   * the call.
   */
  onBytes(bytes: Buffer, atUs: number): void;
}

/**
 * One direction of a TCP connection: counts its bytes and passes on the captured bytes in order, without
 * duplicates.
 */
export class TcpStream {
  readonly #reader: StreamReader;
  /** Waiting segments, by their offset in the stream. */
  readonly #waiting = new Map<number, Segment>();
  /** Sequence number of the first byte, and number of bytes passed on so far. */
  #first: number | null = null;
  #next = 0;
  #end = 0;
  #isBroken = false;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  /** Returns the number of payload bytes without retransmissions. */
  get bytes(): number {
    return this.#end;
  }

  /** True if every byte was captured and passed on. */
  get isWhole(): boolean {
    return !this.#isBroken && this.#next === this.#end;
  }

  /** Returns the number of new bytes. */
  add(segment: Segment): number {
    const { flags, sequence, payloadBytes } = segment;
    this.#first ??= flags.syn ? sequence + 1 : sequence;
    if (flags.syn || payloadBytes === 0) return 0;
    // Sequence numbers wrap at 2^32, and any number may be the first.
    const behind = sequence - this.#first - this.#end;
    const at = this.#end + behind - sequenceNumbers * Math.round(behind / sequenceNumbers);
    const before = this.#end;
    this.#end = Math.max(this.#end, at + payloadBytes);
    if (at + payloadBytes > this.#next && !this.#isBroken) {
      this.#waiting.set(at, segment);
      this.#handOn();
    }
    return this.#end - before;
  }

  #handOn(): void {
    for (;;) {
      const found = [...this.#waiting].find(([at]) => at <= this.#next);
      if (found === undefined) break;
      const [at, { payload, payloadBytes, atUs }] = found;
      this.#waiting.delete(at);
      const end = at + payloadBytes;
      if (end <= this.#next) continue;
      const bytes = payload.subarray(this.#next - at);
      if (bytes.length > 0) this.#reader.onBytes(bytes, atUs);
      // The rest of the segment was not captured, so later bytes cannot be read.
      if (payload.length < payloadBytes) {
        this.#break();
        return;
      }
      this.#next = end;
    }
    if (this.#waiting.size > maxWaiting) this.#break();
  }

  #break(): void {
    this.#isBroken = true;
    this.#waiting.clear();
  }
}
