import type { Segment } from './read-pcap.ts';

const sequenceNumbers = 2 ** 32;
/** Segments that overtook others and wait for them. */
const maxWaiting = 1024;

export interface StreamReader {
  /** The next bytes of the stream and when the last of them came, Unix µs; used up within the call. */
  onBytes(bytes: Buffer, atUs: number): void;
}

/** One direction of a TCP connection: counts what it carried and hands on, in order and once, what was captured. */
export class TcpStream {
  readonly #reader: StreamReader;
  /** Waiting, by where in the stream each begins. */
  readonly #waiting = new Map<number, Segment>();
  /** Sequence number of the first byte, and how far the stream was handed on. */
  #first: number | null = null;
  #next = 0;
  #end = 0;
  #isBroken = false;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  /** Payload bytes, whatever came twice counted once. */
  get bytes(): number {
    return this.#end;
  }

  /** Everything was captured and handed on. */
  get isWhole(): boolean {
    return !this.#isBroken && this.#next === this.#end;
  }

  /** Returns how many bytes of it were new. */
  add(segment: Segment): number {
    const { flags, sequence, payloadBytes } = segment;
    this.#first ??= flags.syn ? sequence + 1 : sequence;
    if (flags.syn || payloadBytes === 0) return 0;
    // Sequence numbers begin anew behind 2^32, and any may be the first.
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
      // The rest of it was not captured: what follows cannot be read.
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
